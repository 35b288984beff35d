import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { run } from '../run.ts';

/** The program that is installed. It runs the build. */
export const BIN: string = fileURLToPath(new URL('../../bin/quartermaster.js', import.meta.url));

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with the output once it has the text; fails when the program ends before. */
  until(text: string, stream?: 'out' | 'err'): Promise<string>;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

const HYBRID = { QUARTERMASTER_SEARCH_ENGINE: 'hybrid' };

/** Calls back when what was started is no longer needed. */
type WhenDone = (act: () => void | Promise<void>) => void;

/** A folder that is gone when the test has finished, or at another time. */
export function temporaryFolder(whenDone: WhenDone = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-serving-'));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Starts the real program in a folder, with an environment that has nothing of ours, and ends it when the test has finished, or at
 * another time.
 */
export function startCommand(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly whenDone?: WhenDone },
): RunningCommand {
  const { cwd, env = {}, whenDone = onTestFinished } = options;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    // Loading the reranker's model takes most of a start; the tests that need it ask for it.
    env: { PATH: process.env.PATH, HOME: cwd, XDG_DATA_HOME: join(cwd, 'data'), ...HYBRID, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  child.stdout.on('data', (chunk) => {
    texts.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    texts.err += String(chunk);
  });
  whenDone(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    out: () => texts.out,
    err: () => texts.err,
    ended,
    until: (text, stream = 'out') =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (texts[stream].includes(text)) resolve(texts[stream]);
        };
        (stream === 'out' ? child.stdout : child.stderr).on('data', look);
        look();
        void ended.then(() => reject(new Error(`It ended without ${JSON.stringify(text)}: ${texts.out}${texts.err}`)));
      }),
  };
}

/** The same in this process, for a command that is to fail before it starts anything. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  if (input !== undefined) stdin.end(input);
  const code = await run(args, { stdin, stdout, stderr, env });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
