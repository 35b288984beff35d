import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../running-command.fixture.ts';

/** Commands on one store, in a folder with nothing else. */
function onStore() {
  const file = join(temporaryFolder(), 'store.db');
  const keys = (...args: string[]) =>
    runCommand(['keys', ...args, '--store', file], { XDG_DATA_HOME: temporaryFolder() });
  return { file, keys };
}

describe('quartermaster keys', () => {
  it('prints only the secret of a new key, and stores only its hash', async () => {
    const { file, keys } = onStore();
    const created = await keys('create', 'team', '--models', 'claude-*', '--requests-per-minute', '60');
    expect(created.code).toBe(0);
    expect(created.out).toMatch(/^qm_\S{40,}\n$/);
    const secret = created.out.trim();
    expect(created.err).not.toContain(secret);
    const store = await openStore({ path: file });
    expect(await store.keys.find(secret)).toMatchObject({
      ...{ name: 'team', models: ['claude-*'], catalogs: ['*'], limits: { requestsPerMinute: 60 } },
    });
    await store.close();
    const listed = await keys('list');
    expect(listed.out).toMatch(/^id .*\nkey_\S+ +team .*claude-\* .*60 requests\/min$/m);
    expect(listed.out).not.toContain(secret);
  });

  it('creates a key that may use only some tools', async () => {
    const { file, keys } = onStore();
    const created = await keys('create', 'reader', '--allow', 'github/*', 'files/read_*', '--deny', '*/delete_*');
    const store = await openStore({ path: file });
    const key = await store.keys.find(created.out.trim());
    await store.close();
    expect(key?.tools).toEqual({ allow: ['github/*', 'files/read_*'], deny: ['*/delete_*'] });
    expect((await keys('list')).out).toContain('github/* files/read_* not */delete_*');
  });

  it('creates a key without write access unless it is given a role', async () => {
    const { keys } = onStore();
    await keys('create', 'reader', '--catalogs', 'acme');
    await keys('create', 'writer', '--role', 'publisher', '--endpoints', 'catalogs', '--expires-in', '90d');
    const [reader, writer] = (await keys('list', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; role: string; endpoints: string[]; expiresAt: number });
    expect((await keys('list')).out).toMatch(/^key_\w+ +writer +publisher .* catalogs +none +expires /m);
    expect(reader).toMatchObject({ role: 'consumer' });
    expect(writer).toMatchObject({ role: 'publisher', endpoints: ['catalogs'], expiresAt: expect.any(Number) });
    expect((await keys('list')).out).toMatch(/writer +publisher .*expires \d{4}-/);
    expect((await keys('update', reader?.id ?? '', '--role', 'admin')).code).toBe(0);
    expect((await keys('list')).out).toMatch(/reader +admin /);
    expect((await keys('update', 'key_none', '--role', 'admin')).code).toBe(1);
    expect(await keys('update', reader?.id ?? '')).toMatchObject({ code: 2, err: expect.stringContaining('--role') });
  });

  it.each([
    [
      ['--role', 'king'],
      "error: option '--role <role>' argument 'king' is invalid. Allowed choices are consumer, publisher, admin.",
    ],
    [['--endpoints', 'everything'], 'There is no endpoint everything; allowed: messages,'],
    [['--expires-in', 'soon'], 'such as 30m or 90d'],
    [['--expires-in', '0s'], 'a time above 0'],
    [['--models', ''], 'A pattern is empty'],
    [['--catalogs', 'acme', ' '], 'A pattern is empty'],
  ])('refuses %j', async (flags, words) => {
    const { keys } = onStore();
    expect(await keys('create', 'x', ...flags)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(words),
    });
  });

  it('changes what is named and keeps the rest', async () => {
    const { keys } = onStore();
    await keys('create', 'team', '--allow', 'a/*', '--deny', 'a/x', '--tokens-per-day', '9', '--expires-in', '90d');
    const read = async () => JSON.parse((await keys('list', '--json')).out) as Record<string, unknown>;
    const { id } = (await read()) as { id: string };
    const update = async (...args: string[]) => expect(await keys('update', id, ...args)).toMatchObject({ code: 0 });
    await update('--models', 'gpt-*', '--writes', 'acme', '--requests-per-minute', '5', '--deny', 'a/y');
    expect(await read()).toMatchObject({
      ...{ models: ['gpt-*'], catalogs: ['*'], writes: ['acme'], expiresAt: expect.any(Number) },
      tools: { allow: ['a/*'], deny: ['a/y'] },
      limits: { requestsPerMinute: 5, tokensPerDay: 9 },
    });
    expect((await keys('list')).out).toContain('*, changes acme');
    await update('--no-writes', '--all-tools', '--no-expiry', '--tokens-per-day', 'none', '--endpoints', 'mcp');
    const changed = await read();
    expect(changed).toMatchObject({ writes: [], endpoints: ['mcp'], limits: { requestsPerMinute: 5 } });
    expect(changed).not.toHaveProperty('tools');
    expect(changed).not.toHaveProperty('expiresAt');
    await update('--all-endpoints');
    expect(await read()).not.toHaveProperty('endpoints');
  });

  it('refuses the name of a key in the settings, however it is written', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'quartermaster.yaml');
    writeFileSync(config, 'keys: [{ name: Ren\u00e9, key: secret }]\n');
    const refused = await runCommand(['keys', 'create', ' Rene\u0301', '--config', config], { XDG_DATA_HOME: folder });
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('The settings already define a key'),
    });
  });

  it('refuses a second key of the same name', async () => {
    const { keys } = onStore();
    await keys('create', 'team');
    const refused = await keys('create', 'team');
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('There is a key named "team" already'),
    });
  });

  it('rotates a secret with an overlap, and shows who changed what', async () => {
    const { file, keys } = onStore();
    const before = (await keys('create', 'team')).out.trim();
    const { id } = JSON.parse((await keys('list', '--json')).out) as { id: string };
    const rotated = await keys('rotate', id, '--overlap', '1h');
    expect(rotated.out).toMatch(/^qm_\S{40,}\n$/);
    const again = await keys('rotate', id, '--overlap', '0s');
    const store = await openStore({ path: file });
    const known = await Promise.all(
      [before, rotated.out.trim(), again.out.trim()].map((secret) => store.keys.find(secret)),
    );
    await store.close();
    expect(known.map((key) => key?.id)).toEqual([undefined, undefined, id]);
    expect((await keys('rotate', 'key_none')).code).toBe(1);
    expect((await keys('audit')).out).toMatch(/no key +key\.rotate +team +the previous secret works until/);
    const created = await keys('audit', '--action', 'key.create', '--subject', 'team', '--by', '', '--within', '1h');
    expect(created.out).toMatch(/no key +key\.create +team +team; role consumer; models \["\*"\];/);
    expect((await keys('audit', '--by', 'nobody')).out).toBe('There are no such changes.\n');
    expect(await keys('audit', '--action', 'key.x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('key.rotate'),
    });
    expect((await keys('audit', '--json', '--limit', '1')).out.trim().split('\n')).toHaveLength(1);
  });

  it('revokes a key once', async () => {
    const { keys } = onStore();
    await keys('create', 'team');
    const { id } = JSON.parse((await keys('list', '--json')).out) as { id: string };
    expect(await keys('revoke', id)).toMatchObject({ code: 0, out: '', err: `Revoked ${id}\n` });
    expect((await keys('list')).out).toMatch(/revoked \d{4}-\d\d-\d\d/);
    expect((await keys('revoke', id)).code).toBe(1);
    expect((await keys('revoke', 'nobody')).code).toBe(1);
  });

  it('says if there are no keys', async () => {
    const { keys } = onStore();
    expect(await keys('list')).toMatchObject({ code: 0, out: 'There are no keys in the store.\n' });
    expect(await keys('list', '--json')).toMatchObject({ code: 0, out: '' });
  });

  it('reports the store as unavailable if its tables cannot be created', async () => {
    const { file, keys } = onStore();
    await keys('list');
    // As if another program's table had that name.
    const bytes = readFileSync(file, 'latin1');
    writeFileSync(file, bytes.replace('migrations (version', 'migrations (variant'), 'latin1');
    const { code, err } = await keys('list');
    expect(err).toBe(
      `The store's tables can't be created or migrated: no such column: version (${file}); ` +
        'choose another with --store FILE, or keep nothing with --store :memory:\n',
    );
    expect(code).toBe(69);
  });

  it('refuses to create a key that no request could use', async () => {
    const folder = temporaryFolder();
    const refused = {
      code: 2,
      out: '',
      err: expect.stringContaining('A key in :memory: is lost when this command ends'),
    };
    expect(await runCommand(['keys', 'create', 'x', '--store', ':memory:'], { XDG_DATA_HOME: folder })).toEqual(
      refused,
    );
    const env = { XDG_DATA_HOME: folder, QUARTERMASTER_STORE: ':memory:' };
    expect(await runCommand(['keys', 'create', 'x'], env)).toEqual(refused);
    expect((await runCommand(['keys', 'list'], env)).code).toBe(0);
  });

  it('shows complete ids in the hint to revoke a key', async () => {
    const { keys } = onStore();
    await keys('create', 'team');
    const { id } = JSON.parse((await keys('list', '--json')).out) as { id: string };
    const [, shown = ''] = /keys revoke (\S+)/.exec((await runCommand(['keys', '--help'], {})).out) ?? [];
    expect(shown).toHaveLength(id.length);
    expect(shown).toMatch(/^key_[0-9a-hjkmnp-tv-z]+$/);
  });

  it.each([
    [['create'], 'missing required argument'],
    [['create', ''], 'The name of a key is empty; allowed are 1 to 512 characters'],
    [['create', 'x'.repeat(600)], 'The name of a key has 600 characters; allowed are 1 to 512 characters'],
    [['revoke', ''], 'The id of a key is empty'],
    [['create', 'x', '--tokens-per-minute', 'many'], 'a whole number'],
    [['list', '--store', 'mysql://h/d'], 'not mysql://'],
  ])('refuses %j', async (args, expected) => {
    const { code, err } = await runCommand(['keys', ...args], { XDG_DATA_HOME: temporaryFolder() });
    expect(code).toBe(2);
    expect(err).toContain(expected);
  });
});
