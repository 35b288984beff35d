import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from './embedded-postgres.fixture.ts';
import { readEncryptionKey } from './encryption-key.ts';
import { migrate } from './internal/migrate.ts';
import { MIGRATIONS } from './internal/migrations.ts';
import { openSqlite } from './internal/open-sqlite.ts';
import { hashApiKey } from './key-store.ts';
import { describeKills } from './kill-contract.fixture.ts';
import { openStore } from './open-store.ts';
import { describeStore } from './store-contract.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'quartermaster-store-'));
let postgres: TestPostgres;
let files = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function newFile(): Promise<{ readonly path: string }> {
  files += 1;
  return { path: join(folder, String(files), 'store.db') };
}

describeStore('SQLite', newFile);
describeStore('PostgreSQL', () => postgres.createPlace());
describeKills('SQLite', newFile);
describeKills('PostgreSQL', () => postgres.createPlace());

describe('the file without its key', () => {
  it('is no secret, no token, no user, and no request that has its answer; and the file is its owner’s alone', async () => {
    const { path } = await newFile();
    const store = await openStore({ path, encryptionKeys: [readEncryptionKey('ab'.repeat(32))] });
    const { secret } = await store.keys.create({ name: 'laptop', models: [], catalogs: [], limits: {} });
    await store.tokens.put({ user: 'ann-the-user', server: 'github' }, 'gho_the-token');
    await store.batches.create({ owner: '', items: [{ customId: 'a', params: '"the-question"' }] });
    for (const lease of await store.batches.claim({ limit: 1, leaseMs: 1000 })) {
      await store.batches.keep(lease, '"half-an-answer"');
      await store.batches.complete(lease, { outcome: 'succeeded', result: '"the-answer"' });
    }
    await store.close();
    const files = readdirSync(dirname(path)).map((file) => readFileSync(join(dirname(path), file), 'latin1'));
    const bytes = files.join('');
    expect(bytes).toContain('the-answer');
    for (const hidden of [secret, secret.slice(3), 'ann-the-user', 'gho_the-token', 'the-question', 'half-an-answer']) {
      expect(bytes).not.toContain(hidden);
    }
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});

describe('opening a store', () => {
  it('twice keeps what is there', async () => {
    const { path } = await newFile();
    const before = await openStore({ path });
    await before.catalogs.put({ name: 'acme', hash: 'h', tools: '[]', toolCount: 0 });
    await before.close();
    expect(readdirSync(dirname(path))).toContain('store.db');
    const after = await openStore({ path });
    expect((await after.catalogs.head('acme'))?.hash).toBe('h');
    await after.close();
  });

  it('of an earlier version keeps its keys and catalogs: keys may use and change nothing, catalogs have no owner', async () => {
    const file = await newFile();
    const sql = openSqlite(file.path);
    await migrate(sql, () => 0, MIGRATIONS.slice(0, 3));
    const permissions = JSON.stringify({ models: ['*'], catalogs: ['acme'], limits: {} });
    await sql.run('INSERT INTO api_keys (id, hash, name, permissions, created_at) VALUES (?, ?, ?, ?, ?)', [
      ...['key_1', hashApiKey('secret'), 'old', permissions, 1],
    ]);
    await sql.run("INSERT INTO catalogs (name, hash, tools, tool_count, updated_at) VALUES ('acme', 'h', '[]', 0, 1)");
    await sql.close();
    const store = await openStore(file);
    const key = { id: 'key_1', name: 'old', models: ['*'], catalogs: ['acme'], limits: {}, createdAt: 1 };
    expect(await store.keys.find('secret')).toEqual(key);
    expect(await store.catalogs.get('acme')).toEqual({
      name: 'acme',
      hash: 'h',
      tools: '[]',
      toolCount: 0,
      updatedAt: 1,
      version: 1,
    });
    const by = { id: 'key_1', mayChangeAny: false };
    expect(await store.catalogs.delete('acme', by)).toBe('denied');
    await store.close();
  });

  it('deletes the rest of an interrupted upload after an hour, and nothing that is in use', async () => {
    const file = await newFile();
    let time = 1_000;
    const store = await openStore({ ...file, now: () => time });
    const tools = JSON.stringify(['x'.repeat(400_000)]);
    await store.catalogs.put({ name: 'large', hash: 'h', tools, toolCount: 1 });
    await store.indexes.put('words.1', new Uint8Array(400_000), { maxBytes: 1_000_000 });
    const sql = openSqlite(file.path);
    const insert = 'INSERT INTO blob_parts (blob, part, body, created_at) VALUES (?, ?, ?, ?)';
    for (const part of [0, 1]) await sql.run(insert, ['blob_abandoned', part, new Uint8Array(10), time]);
    const count = async () =>
      (await sql.all("SELECT COUNT(*) AS count FROM blob_parts WHERE blob = 'blob_abandoned'"))[0]?.count;
    await store.sweep();
    expect(await count()).toBe(2);
    time += 2 * 3_600_000;
    await store.sweep();
    expect(await count()).toBe(0);
    expect((await store.catalogs.get('large'))?.tools).toBe(tools);
    expect(await store.indexes.get('words.1')).toHaveLength(400_000);
    await sql.close();
    await store.close();
  });

  it('in memory needs no file', async () => {
    const store = await openStore({ path: ':memory:' });
    expect(await store.catalogs.put({ name: 'acme', hash: 'h', tools: '[]', toolCount: 0 })).toBe('created');
    await store.close();
  });

  it('refuses tables of a newer version', async () => {
    const file = await newFile();
    await (await openStore(file)).close();
    const sql = openSqlite(file.path);
    await sql.run("INSERT INTO migrations (version, name, applied_at) VALUES (99, 'later', 0)");
    await sql.close();
    await expect(openStore(file)).rejects.toMatchObject({ code: 'newer_schema' });

    const place = await postgres.createPlace();
    await (await openStore(place)).close();
    await postgres.query(place.url, "INSERT INTO migrations (version, name, applied_at) VALUES (99, 'later', 0)");
    await expect(openStore(place)).rejects.toThrow('version 99');
  });

  it('says what it could not reach, without the password', async () => {
    await expect(openStore({ path: folder })).rejects.toThrow(`The store ${folder} can't be opened`);
    const refused = openStore({ url: 'postgres://ann:hunter2@127.0.0.1:1/db' });
    await expect(refused).rejects.toMatchObject({ code: 'unreachable' });
    await expect(refused).rejects.not.toThrow('hunter2');
    await expect(openStore({ url: 'mysql://ann:hunter2@host/db' })).rejects.toThrow('does not begin with postgres://');
  });

  it('reports that its tables can’t be made: the database belongs to another program, or is read-only', async () => {
    const file = await newFile();
    const sql = openSqlite(file.path);
    await sql.run('CREATE TABLE migrations (id TEXT)');
    await sql.close();
    await expect(openStore(file)).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'unreachable', cause: expect.any(Error) },
      message: "The store's tables can't be created or migrated: no such column: version",
    });

    const place = await postgres.createPlace();
    await postgres.query(place.url, "CREATE ROLE reader LOGIN PASSWORD 'hunter2'");
    await postgres.query(place.url, `GRANT USAGE ON SCHEMA ${/place_\d+/.exec(place.url)} TO reader`);
    const asReader = place.url.replace('postgres:test@', 'reader:hunter2@');
    const refused = openStore({ url: asReader });
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'unreachable' });
    await expect(refused).rejects.toThrow(/^The store's tables can't be created or migrated: permission denied/);
  });

  it('a transaction that fails leaves nothing behind, and the next statement works', async () => {
    const sql = openSqlite(':memory:');
    await sql.run('CREATE TABLE t (n BIGINT)');
    const failing = sql.transaction(async (statements) => {
      await statements.run('INSERT INTO t VALUES (?)', [1]);
      throw new Error('stop');
    });
    const behind = sql.all('SELECT * FROM t');
    await expect(failing).rejects.toThrow('stop');
    expect(await behind).toEqual([]);
    await expect(sql.run('INSERT INTO t VALUES (?)', [true as never])).rejects.toThrow("can't be stored");
    await sql.close();
  });
});

describe('readEncryptionKey', () => {
  const bytes = new Uint8Array(32).fill(0xfb);

  it.each(['base64', 'base64url', 'hex'] as const)('reads 32 bytes as %s', (encoding) => {
    expect(readEncryptionKey(` ${Buffer.from(bytes).toString(encoding)}\n`)).toEqual(bytes);
  });

  it.each(['', 'hunter2', 'ab'.repeat(31), 'é'.repeat(43), Buffer.alloc(33).toString('base64')])(
    'refuses anything else and does not repeat it',
    (text) => {
      expect(() => readEncryptionKey(text)).toThrow('openssl rand -base64 32');
      expect(() => readEncryptionKey(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      );
    },
  );
});
