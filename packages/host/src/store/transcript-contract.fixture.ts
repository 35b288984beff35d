import { randomBytes } from 'node:crypto';
import type { Hidden } from '@quartermaster/core/loop';
import { describeTranscriptStore } from '@quartermaster/core/testing';
import { describe, expect, it } from 'vitest';
import type { StoreHarness } from './store-contract.fixture.ts';

const HOUR = 3_600_000;
const NO_BOUNDS = { maxAgeMs: 1_000 * HOUR, maxBytes: Number.MAX_SAFE_INTEGER };

function entry(id: string, text = 'what the client was not shown'): Hidden {
  // In an order that sorting would change: the bytes of a request depend on it.
  return { id, dialect: 'openai-chat', version: 1, calls: ['call_z', 'call_a'], content: { zeta: text, alpha: 1 } };
}

export function describeTranscripts({ place, open, clock }: StoreHarness): void {
  const encryptionKeys = [randomBytes(32)];

  describe('transcripts', () => {
    describeTranscriptStore({ describe, it, expect }, async () => {
      const { transcripts } = await open(await place(), { encryptionKeys });
      return (owner) => transcripts.storeFor(owner);
    });

    it('return an entry under each of its ids, byte for byte, to every replica and after a restart', async () => {
      const location = await place();
      const first = await open(location, { encryptionKeys });
      await first.transcripts.storeFor('ann').keep(['call_1', 'resp_1', 'text@ü'], entry('call_1'));
      await first.close();
      const { transcripts } = await open(location, { encryptionKeys });
      const found = await transcripts.storeFor('ann').find(['call_1', 'nope', 'text@ü']);
      expect([...found.keys()].sort()).toEqual(['call_1', 'text@ü']);
      expect(JSON.stringify(found.get('text@ü'))).toBe(JSON.stringify(entry('call_1')));
    });

    it('are looked up the latest first, as far as they fit into memory together', async () => {
      const { transcripts } = await open(await place(), { encryptionKeys });
      const ann = transcripts.storeFor('ann');
      const text = 'x'.repeat(15 * 1024 * 1024);
      for (const id of ['a', 'b', 'c']) await ann.keep([id, `${id}2`], entry(id, text));
      const found = await ann.find(['a', 'a2', 'b', 'b2', 'c', 'c2']);
      expect([...found.keys()]).toEqual(['b', 'b2', 'c', 'c2']);
      expect(found.get('c')).toBe(found.get('c2'));
      expect((await ann.find(['a'])).size).toBe(1);
    }, 60_000);

    it('are deleted completely, and free their space', async () => {
      const { transcripts } = await open(await place(), { encryptionKeys });
      const ann = transcripts.storeFor('ann');
      await ann.keep(['a', 'b'], entry('a'));
      await ann.keep(['c'], entry('c'));
      await transcripts.storeFor('bob').forget(['a', 'c']);
      expect((await ann.find(['a', 'b', 'c'])).size).toBe(3);
      await ann.forget(['b', 'nope']);
      expect([...(await ann.find(['a', 'b', 'c'])).keys()]).toEqual(['c']);
      expect(await transcripts.sweep({ ...NO_BOUNDS, maxBytes: 0 })).toBe(1);
    });

    it('expire, and the oldest go first if there are too many', async () => {
      const { transcripts } = await open(await place(), { encryptionKeys });
      const ann = transcripts.storeFor('ann');
      await ann.keep(['a'], entry('a'));
      clock.time += HOUR;
      await ann.keep(['b'], entry('b', 'x'.repeat(10_000)));
      clock.time += HOUR;
      await ann.keep(['c'], entry('c'));
      expect(await transcripts.sweep({ ...NO_BOUNDS, maxAgeMs: 1.5 * HOUR })).toBe(1);
      expect([...(await ann.find(['a', 'b', 'c'])).keys()].sort()).toEqual(['b', 'c']);
      expect(await transcripts.sweep({ ...NO_BOUNDS, maxBytes: 5_000 })).toBe(1);
      expect([...(await ann.find(['a', 'b', 'c'])).keys()]).toEqual(['c']);
      expect(await transcripts.sweep(NO_BOUNDS)).toBe(0);
    });

    it('are kept only encrypted', async () => {
      const location = await place();
      const without = await open(location);
      expect(without.transcripts.canKeep).toBe(false);
      await expect(without.transcripts.storeFor('ann').keep(['a'], entry('a'))).rejects.toThrow('encryption key');
      const { transcripts } = await open(location, { encryptionKeys });
      await transcripts.storeFor('ann').keep(['a'], entry('a'));
      await expect(without.transcripts.storeFor('ann').find(['a'])).rejects.toMatchObject({
        code: 'no_encryption_key',
      });
    });

    it('kept by replicas at the same time under the same ids leave one entry for each', async () => {
      const location = await place();
      const replicas = await Promise.all(Array.from({ length: 4 }, () => open(location, { encryptionKeys })));
      const ids = Array.from({ length: 20 }, (_, index) => `call_${index}`);
      await Promise.all(
        replicas.map(({ transcripts }, index) =>
          transcripts.storeFor('ann').keep(index % 2 === 0 ? ids : ids.toReversed(), entry(`replica_${index}`)),
        ),
      );
      const found = await replicas[0]?.transcripts.storeFor('ann').find(ids);
      expect(found?.size).toBe(20);
    });
  });
}
