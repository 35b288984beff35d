import { randomBytes } from 'node:crypto';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { CONFIG_DEFAULTS } from '@quartermaster/host/config';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTranscripts } from './create-transcripts.ts';

const ENTRY: Hidden = { id: 'a', dialect: 'openai-chat', version: 1, calls: [], content: { text: 'hidden' } };

async function openRecords() {
  const store = await openStore({ path: ':memory:', encryptionKeys: [randomBytes(32)] });
  onTestFinished(() => store.close());
  return store.transcripts;
}

function storeOf(transcripts: ReturnType<typeof createTranscripts>, owner = 'ann'): TranscriptStore {
  const store = transcripts.storeFor?.(owner);
  if (store === undefined) throw new Error('Nothing is kept');
  return store;
}

describe('the transcripts of a gateway', () => {
  it('are found by a gateway that starts later on the same store', async () => {
    const records = await openRecords();
    await storeOf(createTranscripts({ given: undefined, records })).keep(['a'], ENTRY);
    const later = createTranscripts({ given: undefined, records });
    expect(await storeOf(later).find(['a', 'b'])).toEqual(new Map([['a', ENTRY]]));
    expect((await storeOf(later, 'bob').find(['a'])).size).toBe(0);
  });

  it.each(['memory', 'store'] as const)(
    'stay in this process where they can not be encrypted or should not be stored: %s',
    async (keep) => {
      const store = await openStore({ path: ':memory:' });
      onTestFinished(() => store.close());
      const given = { ...CONFIG_DEFAULTS.transcripts, keep };
      const here = createTranscripts({ given, records: store.transcripts });
      await storeOf(here).keep(['a'], ENTRY);
      expect((await storeOf(here).find(['a'])).size).toBe(1);
      expect((await storeOf(createTranscripts({ given, records: store.transcripts })).find(['a'])).size).toBe(0);
    },
  );

  it('are not kept at all when switched off', () => {
    expect(
      createTranscripts({ given: { ...CONFIG_DEFAULTS.transcripts, keep: 'off' }, records: undefined }).storeFor,
    ).toBeUndefined();
  });

  it('in memory are found while the database is away', async () => {
    const records = await openRecords();
    const away: typeof records = {
      ...records,
      storeFor: (owner) => ({ ...records.storeFor(owner), find: () => Promise.reject(new Error('away')) }),
    };
    const transcripts = createTranscripts({ given: undefined, records: away });
    await storeOf(transcripts).keep(['a'], ENTRY);
    expect((await storeOf(transcripts).find(['a', 'b'])).get('a')).toEqual(ENTRY);
    await expect(storeOf(transcripts).find(['b'])).rejects.toThrow('away');
  });

  it('age out of the store', async () => {
    let clock = 0;
    const store = await openStore({ path: ':memory:', encryptionKeys: [randomBytes(32)], now: () => clock });
    onTestFinished(() => store.close());
    const transcripts = createTranscripts({ given: undefined, records: store.transcripts });
    await storeOf(transcripts).keep(['a'], ENTRY);
    clock = CONFIG_DEFAULTS.transcripts.retentionHours * 3_600_000 + 1;
    await transcripts.sweep();
    expect((await store.transcripts.storeFor('ann').find(['a'])).size).toBe(0);
  });
});
