import { join } from 'node:path';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../running-command.fixture.ts';

async function learnedStore() {
  const file = join(temporaryFolder(), 'store.db');
  const store = await openStore({ path: file });
  const atMs = Date.now();
  await store.learnedUses.add({ owner: 'key_a', catalog: 'acme' }, [
    { tool: 'mail/send', atMs, vector: Int8Array.of(1, 2) },
    { tool: 'mail/send', atMs },
  ]);
  await store.learnedUses.add({ owner: '', catalog: '' }, [{ tool: 'read', atMs }]);
  await store.close();
  return (...args: string[]) => runCommand(['usage', ...args, '--store', file], { XDG_DATA_HOME: temporaryFolder() });
}

describe('quartermaster usage', () => {
  it('lists and exports what was learned', async () => {
    const usage = await learnedStore();
    const listed = await usage('list');
    expect(listed.out).toMatch(/^key_a +acme +mail\/send +2 /m);
    expect(listed.out).toMatch(/^none +in requests +read +1 /m);
    const lines = (await usage('export', '--key', 'key_a')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ owner: 'key_a', catalog: 'acme', tool: 'mail/send' }),
      expect.objectContaining({ tool: 'mail/send' }),
    ]);
    expect(lines.join('')).toContain('"vector":"AQI="');
  });

  it('forgets what is selected, and requires a selection', async () => {
    const usage = await learnedStore();
    expect(await usage('forget')).toMatchObject({ code: 2, err: expect.stringContaining('--all for everything') });
    expect(await usage('forget', '--all', '--key', 'key_a')).toMatchObject({ code: 2 });
    expect(await usage('forget', '--tool', 'mail/send')).toMatchObject({ code: 0, err: 'Deleted 2 entries\n' });
    expect(await usage('forget', '--key', 'key_a')).toMatchObject({ code: 1 });
    expect(await usage('forget', '--all')).toMatchObject({ code: 0, err: 'Deleted 1 entry\n' });
    expect((await usage('list')).out).toBe('Nothing was learned that matches.\n');
  });
});
