import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres, type TestPostgres } from './embedded-postgres.fixture.ts';
import { openSqlite } from './internal/open-sqlite.ts';
import type { Store } from './open-store.ts';
import { openStore, type StoreOptions } from './open-store.ts';

const CATALOG = { name: 'acme', hash: 'h', tools: '[]', toolCount: 0 };
const UNAVAILABLE = { name: 'StoreError', code: 'unavailable' };

describe('a PostgreSQL that fails', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(async () => {
    await postgres.stop();
  });

  async function open(options: StoreOptions = {}): Promise<{ readonly store: Store; readonly url: string }> {
    const { url } = await postgres.createPlace();
    const store = await openStore({ url, timeouts: { connectMs: 1_000, statementMs: 400 }, ...options });
    onTestFinished(() => store.close());
    return { store, url };
  }

  const lose = (url: string) =>
    postgres.query(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quartermaster'",
    );

  it('by closing connections under load keeps the process alive, and reads are retried', async () => {
    const { store, url } = await open();
    await store.catalogs.put(CATALOG);
    let isOver = false;
    const outcomes = new Set<string>();
    const work = Array.from({ length: 12 }, async (_, index) => {
      while (!isOver) {
        if (index % 2 === 0) await store.catalogs.head('acme').then(() => outcomes.add('read'));
        else {
          await store.usage.record({ owner: 'ann', requests: 1 }).then(
            () => outcomes.add('written'),
            (error: { readonly code: string }) => outcomes.add(error.code),
          );
        }
      }
    });
    for (let round = 0; round < 10; round += 1) await lose(url);
    isOver = true;
    await Promise.all(work);
    outcomes.delete('unavailable');
    expect([...outcomes].sort()).toEqual(['read', 'written']);
    await store.ping();
  });

  it('by stopping refuses callers with a reason, and serves them again when it is back', async () => {
    const { store } = await open();
    await postgres.halt();
    await expect(store.catalogs.head('acme')).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.catalogs.put(CATALOG)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.ping()).rejects.toThrow(/^The store \(PostgreSQL\) is unavailable: /);
    await postgres.resume();
    await expect.poll(() => store.ping().then(() => 'back', String), { timeout: 10_000 }).toBe('back');
    expect(await store.catalogs.put(CATALOG)).toBe('created');
  });

  it('by freezing holds no caller for longer than the timeouts, and serves them again when it thaws', async () => {
    const { store } = await open();
    await store.catalogs.put(CATALOG);
    await postgres.freeze();
    onTestFinished(() => postgres.thaw());
    const asked = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => store.catalogs.head('acme')),
      store.catalogs.put({ ...CATALOG, hash: 'other' }),
    ]);
    expect(asked.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
      Array.from({ length: 21 }, () => 'unavailable'),
    );
    postgres.thaw();
    await expect.poll(() => store.ping().then(() => 'back', String), { timeout: 10_000 }).toBe('back');
    expect((await store.catalogs.head('acme'))?.name).toBe('acme');
  });

  it('by a row that stays locked ends the wait, and other rows are served meanwhile', async () => {
    const { store, url } = await open({ timeouts: { connectMs: 1_000, statementMs: 1_500 } });
    await store.catalogs.put(CATALOG);
    await store.catalogs.put({ ...CATALOG, name: 'other' });
    const lock = postgres.query(
      url,
      "BEGIN; UPDATE catalogs SET hash = 'x' WHERE name = 'acme'; SELECT pg_sleep(4); COMMIT",
    );
    const sleeping = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await expect.poll(() => postgres.query(url, sleeping)).toHaveLength(1);
    await expect(store.catalogs.put({ ...CATALOG, hash: 'mine' })).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: 'The store (PostgreSQL) is unavailable: a statement took too long',
    });
    expect(await store.catalogs.delete('other')).toBe('deleted');
    await lock;
  });

  it('by a full disk is unhealthy until a write succeeds, after half a minute at the earliest', async () => {
    const clock = { time: 1_000_000 };
    const { store, url } = await open({ now: () => clock.time });
    const failing = (table: string) =>
      postgres.query(url, `CREATE TRIGGER fail BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`);
    await postgres.query(
      url,
      "CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql",
    );
    await failing('catalogs');
    await failing('rate_windows');
    await store.ping();
    await expect(store.catalogs.put(CATALOG)).rejects.toMatchObject({ code: 'full' });
    // A small write that fits says nothing.
    await store.usage.record({ owner: 'ann', requests: 1 });
    await expect(store.ping()).rejects.toMatchObject({ code: 'full' });
    clock.time += 30_000;
    await expect(store.ping()).rejects.toMatchObject({ code: 'full' });
    await postgres.query(url, 'DROP TRIGGER fail ON rate_windows');
    clock.time += 30_000;
    await store.ping();
  });

  it.each([
    ['53100', 'full', 'is out of space'],
    ['25006', 'unavailable', 'it is read-only, as after a failover'],
    ['53300', 'unavailable', 'it has no free connection'],
    ['58030', 'unavailable', 'it reports a system error'],
  ])('with SQLSTATE %s is reported as %s', async (state, code, words) => {
    const { store, url } = await open();
    await postgres.query(
      url,
      `CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '${state}'; END $$ LANGUAGE plpgsql;
       CREATE TRIGGER fail BEFORE INSERT ON catalogs FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    const put = store.catalogs.put(CATALOG);
    await expect(put).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    await expect(put).rejects.not.toThrow('secret detail');
    if (code !== 'full') await expect.poll(() => store.ping().then(() => 'back', String)).toBe('back');
  });
});

describe('a SQLite file that fails', () => {
  function newFile(): string {
    const folder = mkdtempSync(join(tmpdir(), 'quartermaster-faults-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, 'store.db');
  }

  it('by a full disk says so, and stores what fits', async () => {
    const sql = openSqlite(newFile());
    await sql.run('CREATE TABLE t (text TEXT)');
    await sql.all('PRAGMA max_page_count = 8');
    const big = sql.transaction((statements) => statements.run('INSERT INTO t VALUES (?)', ['x'.repeat(100_000)]));
    await expect(big).rejects.toMatchObject({ code: 'full', message: 'The store (SQLite) is out of space' });
    expect(await sql.run('INSERT INTO t VALUES (?)', ['x'])).toBe(1);
    await sql.close();
  });

  it('by a log that can not be emptied is closed all the same, with what was written', async () => {
    const path = newFile();
    const sql = openSqlite(path);
    await sql.run('CREATE TABLE t (text TEXT)');
    await sql.run('INSERT INTO t VALUES (?)', ['kept']);
    // No checkpoint succeeds inside a transaction, as none does on a full disk.
    await sql.run('BEGIN IMMEDIATE');
    await sql.run('INSERT INTO t VALUES (?)', ['not committed']);
    await sql.close();
    const again = openSqlite(path);
    expect(await again.all('SELECT text FROM t')).toEqual([{ text: 'kept' }]);
    await again.close();
  });

  it('by being deleted refuses to write what would be lost', async () => {
    const path = newFile();
    const store = await openStore({ path });
    renameSync(path, `${path}.moved`);
    await expect(store.catalogs.put(CATALOG)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.ping()).rejects.toThrow('its file was deleted or replaced');
    await store.close();
  });

  it('by being read-only says so', async () => {
    const sql = openSqlite(newFile());
    await sql.run('CREATE TABLE t (text TEXT)');
    await sql.all('PRAGMA query_only = ON');
    await expect(sql.run('INSERT INTO t VALUES (?)', ['x'])).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: 'The store (SQLite) is unavailable: the file is read-only',
    });
    await sql.close();
  });
});
