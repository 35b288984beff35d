import { afterEach, describe } from 'vitest';
import { describeBatches } from './batch-contract.fixture.ts';
import { describeBatchWork } from './batch-work-contract.fixture.ts';
import { describeInsight } from './insight-contract.fixture.ts';
import { describeManagement } from './management-contract.fixture.ts';
import type { Store } from './open-store.ts';
import { openStore, type StoreLocation, type StoreOptions } from './open-store.ts';
import { describeRecords } from './records-contract.fixture.ts';
import { describeSecrets } from './secrets-contract.fixture.ts';
import { describeSessions } from './session-contract.fixture.ts';
import { describeTranscripts } from './transcript-contract.fixture.ts';

/** A clock that stands still until it is moved. */
interface TestClock {
  time: number;
}

/** What a test of the contract gets. */
export interface StoreHarness {
  /** A new, empty place, private to the test. */
  readonly place: () => Promise<StoreLocation>;
  /** Opens a store, with the test's clock unless told otherwise; called twice with one place, it makes replicas. Closed after the test. */
  readonly open: (location: StoreLocation, options?: StoreOptions) => Promise<Store>;
  /** Begins at `START`. */
  readonly clock: TestClock;
}

export const START: number = Date.UTC(2026, 10, 15, 9, 0, 0);

/** What any store has to do, wherever it keeps its data. */
export function describeStore(name: string, place: () => Promise<StoreLocation>): void {
  const clock: TestClock = { time: START };
  const opened: Store[] = [];
  const harness: StoreHarness = {
    place,
    clock,
    async open(location, options = {}) {
      const store = await openStore({ now: () => clock.time, ...options, ...location });
      opened.push(store);
      return store;
    },
  };

  describe(`${name} as a store`, () => {
    afterEach(async () => {
      clock.time = START;
      await Promise.all(opened.splice(0).map((store) => store.close()));
    });
    describeBatches(harness);
    describeBatchWork(harness);
    describeRecords(harness);
    describeManagement(harness);
    describeInsight(harness);
    describeSecrets(harness);
    describeSessions(harness);
    describeTranscripts(harness);
  });
}
