import type { Readable, Writable } from 'node:stream';

/** Everything that a command touches besides files: passed in, so that a test runs the command in its own process. */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Writes and, when the reader is slower than we are, waits for it: a long batch never piles up in memory. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
