import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CommandIo } from '../command-io.ts';
import { InterruptedError } from '../input-error.ts';

export interface AskOptions {
  /** Whether the input is hidden. @default false */
  readonly isHidden?: boolean;
}

/** Asks a yes-or-no question. Without a terminal the answer is no. */
export async function confirm(io: Pick<CommandIo, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true) return false;
  return /^y(?:es)?$/i.test((await ask(io, `${question} [y/N] `))?.trim() ?? '');
}

/** Asks the user on stderr and reads a line; without a terminal, a line of the piped input. Undefined if there is none. */
export async function ask(
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
  question: string,
  { isHidden = false }: AskOptions = {},
): Promise<string | undefined> {
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) stderr.write(question);
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isTerminal && !isHidden) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: isTerminal });
  try {
    const line = await Promise.race([
      new Promise<string>((resolve) => lines.once('line', resolve)),
      new Promise<never>((_, reject) => lines.once('SIGINT', () => reject(new InterruptedError('Interrupted.')))),
      new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined))),
    ]);
    return line;
  } finally {
    lines.close();
    if (isTerminal && isHidden) stderr.write('\n');
  }
}
