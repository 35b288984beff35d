import type { ApiKey, KeyStore } from '@quartermaster/host/store';
import { expect, it } from 'vitest';
import { movedClock } from '../moved-clock.fixture.ts';
import { createKnownKeys } from './known-keys.ts';

it('does not believe a lookup that began before a key was changed', async () => {
  const answers: ((key: ApiKey) => void)[] = [];
  const store = {
    find: () => new Promise<ApiKey>((resolve) => answers.push(resolve)),
  } as Partial<KeyStore> as KeyStore;
  const known = createKnownKeys(store, movedClock(0));
  const active = { id: 'key_1' } as ApiKey;
  const revoked = { id: 'key_1', revokedAt: 0 } as ApiKey;
  const before = known.find('secret');
  known.forget();
  answers[0]?.(active);
  expect(await before).toBe(active);
  const after = known.find('secret');
  answers[1]?.(revoked);
  expect(await after).toBe(revoked);
});
