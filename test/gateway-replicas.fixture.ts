import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '@quartermaster/host/store';
import { build } from 'vite';

export interface Replica {
  readonly name: string;
  readonly url: string;
  /** SIGKILL. */
  kill(): void;
  /** The signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

export interface Replicas {
  /** Starts a gateway on the store. Its name is the key that it sends upstream. */
  start(name: string, place: ReplicaPlace): Promise<Replica>;
  /** Kills what is left. */
  stop(): Promise<void>;
}

export interface ReplicaPlace {
  readonly location: StoreLocation;
  readonly upstreamUrl: string;
  /** A file that holds the time. */
  readonly clockFile: string;
}

/** Gateways in processes of their own. */
export async function createReplicas(): Promise<Replicas> {
  const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'gateway-replica-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const program = await bundle(folder).catch((error: unknown) => {
    remove();
    throw error;
  });
  const running = new Map<ChildProcess, Promise<unknown>>();
  return {
    async start(name, { location, upstreamUrl, clockFile }) {
      const settings = join(folder, `${name}.yaml`);
      const upstream = { models: ['*'], provider: 'anthropic', baseUrl: upstreamUrl, apiKey: name };
      writeFileSync(settings, JSON.stringify({ upstreams: [upstream], search: { engine: 'bm25' } }));
      const child = spawn(process.execPath, [program, settings, JSON.stringify(location), clockFile], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let problem = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        problem += text;
      });
      const ended = new Promise<NodeJS.Signals | null>((resolve) => {
        child.once('close', (_, signal) => {
          running.delete(child);
          resolve(signal);
        });
      });
      running.set(child, ended);
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
        void ended.then(() => reject(new Error(`The replica ${name} did not start: ${problem}`)));
      });
      return { name, url, kill: () => child.kill('SIGKILL'), ended };
    },
    async stop() {
      for (const child of running.keys()) child.kill('SIGKILL');
      await Promise.all(running.values());
      remove();
    },
  };
}

/** One file of plain JavaScript beside the real packages, because Node 20 runs no TypeScript. */
async function bundle(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: {
      noExternal: [/^@quartermaster\//],
      external: ['libsql', 'pg'],
      resolve: { conditions: ['@quartermaster/source'] },
    },
    build: {
      ssr: fileURLToPath(new URL('./gateway-replica.fixture.ts', import.meta.url)),
      outDir: folder,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'replica.mjs' } },
    },
  });
  return join(folder, 'replica.mjs');
}
