import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, makeItems, OWNER } from './batch-contract.fixture.ts';
import { openStore, type StoreLocation } from './open-store.ts';
import { START } from './store-contract.fixture.ts';

const ITEMS = 60;

/**
 * After how many lines each of the two workers of a round kills itself, right after a call or a commit. Fewer lines than
 * items in all, so that no worker runs out of work before.
 */
const ROUNDS: readonly (readonly [number, number])[] = [
  [1, 5],
  [9, 2],
  [14, 11],
];

/** Replicas in processes of their own, killed with SIGKILL while they work. */
export function describeKills(name: string, place: () => Promise<StoreLocation>): void {
  describe(`${name} when workers are killed`, () => {
    const root = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
    let folder = '';
    let worker = '';
    const running = new Set<ChildProcess>();

    beforeAll(async () => {
      mkdirSync(root, { recursive: true });
      folder = mkdtempSync(join(root, 'quartermaster-worker-'));
      worker = await bundleWorker(folder);
    });
    afterAll(() => {
      for (const child of running) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });

    it('every item gets exactly one result, at the cost of one more call per kill that it was in flight at', async () => {
      const location = await place();
      const [log, clock] = [join(folder, 'calls.log'), join(folder, 'clock')];
      let time = START;
      writeFileSync(log, '');
      writeFileSync(clock, String(time));
      const store = await openStore({ ...location, now: () => time });
      const { id } = await store.batches.create({ owner: OWNER, items: makeItems(ITEMS) });

      const start = (killAfter?: number) =>
        startWorker([worker, JSON.stringify(location), log, clock, String(killAfter ?? '')], running);
      const passLease = () => {
        time += 3_600_000;
        writeFileSync(clock, String(time));
      };
      for (const round of ROUNDS) {
        expect(await Promise.all(round.map((killAfter) => start(killAfter).ended))).toEqual(['SIGKILL', 'SIGKILL']);
        passLease();
      }
      // Killed from outside, wherever it is then: in the middle of a statement, of a transaction, or done already.
      const victim = start();
      await victim.firstLine;
      victim.kill();
      await victim.ended;
      passLease();
      expect(await Promise.all([start().ended, start().ended])).toEqual([null, null]);

      expect(await store.batches.get(id, OWNER)).toMatchObject({
        status: 'ended',
        counts: { processing: 0, succeeded: ITEMS, errored: 0, canceled: 0, expired: 0 },
      });
      const results = await collect(store.batches.results(id, OWNER));
      expect(results.map(({ customId }) => customId)).toEqual(makeItems(ITEMS).map(({ customId }) => customId));
      await store.close();

      const lines = readFileSync(log, 'utf8').trim().split('\n');
      // No item was taken from a worker that was alive.
      expect(lines.filter((line) => line.startsWith('lost'))).toEqual([]);
      const calls = (position: number) =>
        lines.filter((line) => line.startsWith('call ') && line.endsWith(` ${position}`));
      const inFlight = (position: number) =>
        calls(position).filter((line) => !lines.includes(line.replace('call', 'committed'))).length;
      for (let position = 0; position < ITEMS; position += 1) {
        expect(calls(position).length).toBeGreaterThan(0);
        expect(calls(position).length).toBeLessThanOrEqual(1 + inFlight(position));
        const { by } = JSON.parse(results[position]?.result ?? '{}') as { by?: number };
        expect(calls(position)).toContain(`call ${by} ${position}`);
      }
      expect(lines.filter((line) => line.startsWith('call ')).length).toBeGreaterThan(ITEMS);
    });
  });
}

/** One file of plain JavaScript beside the real packages, because Node 20 runs no TypeScript. */
async function bundleWorker(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: {
      noExternal: [/^@quartermaster\//],
      external: ['libsql', 'pg'],
      resolve: { conditions: ['@quartermaster/source'] },
    },
    build: {
      ssr: fileURLToPath(new URL('./batch-worker.fixture.ts', import.meta.url)),
      outDir: folder,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  return join(folder, 'worker.mjs');
}

interface Worker {
  /** Resolves when it has begun to work. */
  readonly firstLine: Promise<void>;
  /** The signal that ended it, `null` when it came to its own end. */
  readonly ended: Promise<NodeJS.Signals | null>;
  kill(): void;
}

function startWorker(args: readonly string[], running: Set<ChildProcess>): Worker {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  return {
    kill: () => child.kill('SIGKILL'),
    firstLine: new Promise((resolve) => child.stdout.once('data', () => resolve())),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        running.delete(child);
        if (signal === null && code !== 0) reject(new Error(problem));
        else resolve(signal);
      });
      child.stdout.resume();
    }),
  };
}
