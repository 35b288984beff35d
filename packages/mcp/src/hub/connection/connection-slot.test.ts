import type { Clock } from '@quartermaster/core/internal';
import { describe, expect, it } from 'vitest';
import type { Connection } from './connection.ts';
import { ConnectionSlot } from './connection-slot.ts';

/** A clock whose timers ring before it shows their time, as real ones do by up to a millisecond. */
class HastyClock implements Clock {
  readonly #waiting = new Set<() => void>();

  now(): number {
    return 0;
  }

  after(_delayMs: number, run: () => void): () => void {
    this.#waiting.add(run);
    return () => this.#waiting.delete(run);
  }

  ring(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const run of due) run();
  }
}

const CONNECTION = { server: 'x', close: async () => {} } as unknown as Connection;

interface Opened {
  readonly slot: ConnectionSlot;
  readonly clock: HastyClock;
  /** Ends the connection that was opened last. */
  readonly lose: () => void;
  readonly opened: () => number;
}

function createSlot({
  isKept,
  fails = () => false,
}: {
  isKept: boolean;
  fails?: (attempt: number) => boolean;
}): Opened {
  const clock = new HastyClock();
  let attempts = 0;
  let lose = (): void => {};
  const slot = new ConnectionSlot({
    server: 'x',
    clock,
    backoff: { initialMs: 1, maxMs: 60_000, stableMs: 30_000 },
    isKept: () => isKept,
    open: async ({ onLost }) => {
      attempts += 1;
      if (fails(attempts)) throw new Error('not yet');
      lose = onLost;
      return CONNECTION;
    },
    onOpen: () => {},
    onState: () => {},
  });
  return { slot, clock, lose: () => lose(), opened: () => attempts };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the place of a connection that is kept', () => {
  it('reopens a lost connection after the pause, even if the clock lags', async () => {
    const { slot, clock, lose } = createSlot({ isKept: true });
    await slot.acquire();
    lose();
    expect(slot.state.kind).toBe('down');
    clock.ring();
    await settled();
    expect(slot.state.kind).toBe('ready');
  });

  it('keeps retrying while it fails', async () => {
    const { slot, clock, opened } = createSlot({ isKept: true, fails: (attempt) => attempt < 4 });
    await expect(slot.acquire()).rejects.toThrow('not yet');
    for (let rings = 0; rings < 3; rings += 1) {
      clock.ring();
      await settled();
    }
    expect(slot.state.kind).toBe('ready');
    expect(opened()).toBe(4);
  });

  it('reopens a lost connection at once for a caller, and pauses only if that fails', async () => {
    const { slot, lose, opened } = createSlot({ isKept: true, fails: (attempt) => attempt === 3 });
    await slot.acquire();
    lose();
    expect(await slot.acquire()).toBe(CONNECTION);
    lose();
    await expect(slot.acquire()).rejects.toThrow('not yet');
    await expect(slot.acquire()).rejects.toThrow('not yet');
    expect(opened()).toBe(3);
  });
});

describe('the place of a connection that is not kept', () => {
  it('stays empty until it is needed', async () => {
    const { slot, clock, lose, opened } = createSlot({ isKept: false });
    await slot.acquire();
    lose();
    clock.ring();
    await settled();
    expect(slot.state.kind).toBe('down');
    expect(opened()).toBe(1);
  });
});
