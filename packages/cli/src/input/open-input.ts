import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { CommandIo } from '../command-io.ts';
import { InputError } from '../input-error.ts';

/** The name of a file in messages. */
export function inputName(path: string): string {
  return path === '-' ? '(stdin)' : path;
}

/** The bytes of a file, or of standard input for `-`. */
export async function* openInput(path: string, stdin: CommandIo['stdin']): AsyncGenerator<Uint8Array> {
  if (path === '-') {
    for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
    return;
  }
  try {
    if ((await stat(path)).isDirectory()) {
      throw new InputError(`${path}: this is a directory; name the files in it`);
    }
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof InputError ? error : new InputError(`${path}: ${explain(error)}`, { cause: error });
  }
}

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'no permission to read the file';
    default:
      return `the file can't be read (${error instanceof Error ? error.message : String(error)})`;
  }
}
