import { spawn } from 'node:child_process';
import { type BuiltInMaker, builtIn, textIn } from './built-in-tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const MOST_CHARACTERS = 30_000;
/** How long to wait for output that is still in the pipes after the shell has exited. */
const PIPE_GRACE_MS = 200;

/** The environment variables that commands see. Keys and tokens are not among them. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** Starts in the folder, but can leave it: a shell can't be confined. That is why each command needs permission. */
export const createBashTool: BuiltInMaker = (confinement) =>
  builtIn({
    name: 'Bash',
    description:
      'Runs a command in a shell in the working folder, and answers with what it wrote. Nothing lasts between commands.',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command' },
      timeout: {
        type: 'integer',
        minimum: 1,
        maximum: LONGEST_TIMEOUT_MS,
        description: 'Milliseconds; 120000 by default',
      },
      description: { type: 'string', description: 'What it does, in a few words' },
    },
    required: ['command'],
    changes: 'anything',
    subject: (input) => textIn(input, 'command'),
    run(input, signal) {
      const timeoutMs = Math.min(Number(input.timeout ?? DEFAULT_TIMEOUT_MS), LONGEST_TIMEOUT_MS);
      return runCommand(textIn(input, 'command'), { folder: confinement.folder, timeoutMs, signal });
    },
  });

interface Running {
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

function runCommand(command: string, { folder, timeoutMs, signal }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    // Its own process group, so that its children end with it.
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isCut = false;
    let ended: string | undefined;
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has exited in the meantime.
      }
    };
    // A process that left the group lives on, and is not waited for.
    const closePipes = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const kill = (reason: string): void => {
      ended ??= reason;
      killGroup();
      closePipes();
    };
    const hear = (data: string): void => {
      output += data;
      if (output.length <= MOST_CHARACTERS) return;
      isCut = true;
      output = output.slice(0, MOST_CHARACTERS);
    };
    const abort = (): void => kill('it was interrupted');
    const timer = setTimeout(() => kill(`it took longer than ${timeoutMs} ms`), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    let grace: NodeJS.Timeout | undefined;
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', abort);
      settle();
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
    child.once('exit', () => {
      clearTimeout(timer);
      // Background processes end with the command.
      killGroup();
      // Read the pipes once more before the next timer, so that a busy process loses no output.
      grace = setTimeout(() => setImmediate(closePipes), PIPE_GRACE_MS);
    });
    child.once('error', (error) => finish(() => reject(error)));
    child.once('close', (code) =>
      finish(() => {
        const text = isCut ? `${output}\n[Cut after ${MOST_CHARACTERS} characters.]` : output;
        if (ended !== undefined) reject(new Error(`The command was ended: ${ended}\n${text}`));
        else if (code !== 0) reject(new Error(`The command ended with ${code}\n${text}`));
        else resolve(text === '' ? 'The command wrote nothing.' : text);
      }),
    );
    if (signal.aborted) abort();
  });
}
