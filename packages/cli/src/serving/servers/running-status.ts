import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hub } from '@quartermaster/mcp';
import type { CommandIo } from '../../command-io.ts';
import { oneLine } from '../../terminal/index.ts';
import { dataFolder } from '../settings/data-folder.ts';
import { whyDown } from './report-servers.ts';

/** What a running `quartermaster mcp` says about itself, for `quartermaster mcp status`. */
export interface RunningStatus {
  readonly pid: number;
  /** When it started, in ISO 8601. */
  readonly startedAt: string;
  /** The files of its servers. */
  readonly files: readonly string[];
  readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
  /** The latest errors of servers, newest last. */
  readonly errors: readonly { readonly at: string; readonly server: string; readonly reason: string }[];
}

export interface RecordOptions {
  readonly hub: Pick<Hub, 'status' | 'subscribe'>;
  readonly env: CommandIo['env'];
  readonly files: () => readonly string[];
  readonly pid?: number;
  readonly now?: () => Date;
}

const MOST_ERRORS = 20;
const MOST_FILES = 1_000;

/** Keeps a file about this process up to date until the returned function is called. It only informs people: its failures are ignored. */
export function recordStatus({
  hub,
  env,
  files,
  pid = process.pid,
  now = () => new Date(),
}: RecordOptions): () => void {
  const folder = folderOf(env);
  const file = join(folder, `${pid}.json`);
  const startedAt = now().toISOString();
  const errors: RunningStatus['errors'][number][] = [];
  const last = new Map<string, string | undefined>();
  const record = (): void => {
    const servers = hub.status().map((server) => {
      const { name, state, tools } = server;
      const why = state === 'down' ? whyDown(server) : undefined;
      if (why !== undefined && last.get(name) !== why)
        errors.push({ at: now().toISOString(), server: name, reason: oneLine(why, 500) });
      last.set(name, why);
      return { name, state, tools };
    });
    errors.splice(0, errors.length - MOST_ERRORS);
    const status: RunningStatus = { pid, startedAt, files: files(), servers, errors };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify(status), { mode: 0o600 });
    } catch {
      // The disk is full, or the folder belongs to someone else.
    }
  };
  record();
  const unsubscribe = hub.subscribe(({ kind }) => {
    if (kind === 'server-change') record();
  });
  return () => {
    unsubscribe();
    rmSync(file, { force: true });
  };
}

/** The processes that are running now. Deletes the files that others left behind. */
export function readRunning(
  env: CommandIo['env'],
  isAlive: (pid: number) => boolean = isRunning,
): readonly RunningStatus[] {
  const folder = folderOf(env);
  return listFiles(folder).flatMap((name) => {
    const file = join(folder, name);
    const pid = Number(/^(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) return [];
    if (!isAlive(pid)) {
      rmSync(file, { force: true });
      return [];
    }
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as RunningStatus];
    } catch {
      // It is being written, or was just removed.
      return [];
    }
  });
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

function folderOf(env: CommandIo['env']): string {
  return join(dataFolder({ env, ...(env.HOME ? { home: env.HOME } : {}) }), 'running');
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user is running too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
