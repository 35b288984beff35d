import { describe, expect, it } from 'vitest';
import { hostileNames } from './records-contract.fixture.ts';
import type { StoreHarness } from './store-contract.fixture.ts';

export function describeSessions({ place, open }: StoreHarness): void {
  describe('sessions', () => {
    it('are read as they were appended, by every replica', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      expect(await one.sessions.read('a')).toBeUndefined();
      await one.sessions.append('a', ['first', 'second']);
      await two.sessions.append('a', ['third']);
      await two.sessions.append('b', ['other']);
      expect(await one.sessions.read('a')).toEqual(['first', 'second', 'third']);
      expect(await one.sessions.read('b')).toEqual(['other']);
    });

    it('start with their first record', async () => {
      const { sessions } = await open(await place());
      await sessions.append('a', []);
      expect(await sessions.read('a')).toBeUndefined();
    });

    it('lose nothing to replicas that append at once, and no append is torn', async () => {
      const location = await place();
      const replicas = await Promise.all([open(location), open(location), open(location)]);
      const appends = Array.from({ length: 30 }, (_, index) => [`${index} begins`, `${index} ends`]);
      await Promise.all(appends.map((records, index) => replicas[index % 3]?.sessions.append('a', records)));
      const read = (await replicas[0].sessions.read('a')) ?? [];
      expect([...read].sort()).toEqual(appends.flat().sort());
      for (const [begins = '', ends = ''] of appends) expect(read.indexOf(ends)).toBe(read.indexOf(begins) + 1);
    });

    it('hold many records at once, and any text under any id', async () => {
      const { sessions } = await open(await place());
      const many = Array.from({ length: 1_000 }, (_, index) => `record ${index}`);
      await sessions.append('many', many);
      expect(await sessions.read('many')).toEqual(many);
      for (const name of hostileNames) await sessions.append(name, [name, 'ü'.repeat(100_000)]);
      for (const name of hostileNames) expect((await sessions.read(name))?.[0]).toBe(name);
      await expect(sessions.append('', ['x'])).rejects.toThrow('The id of a session is empty');
    });

    it('are deleted whole, and can be started again', async () => {
      const { sessions } = await open(await place());
      await sessions.append('a', ['old', 'old']);
      expect(await sessions.delete('a')).toBe(true);
      expect(await sessions.delete('a')).toBe(false);
      expect(await sessions.read('a')).toBeUndefined();
      await sessions.append('a', ['new']);
      expect(await sessions.read('a')).toEqual(['new']);
    });
  });
}
