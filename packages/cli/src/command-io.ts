import type { Readable, Writable } from 'node:stream';

/** Everything that a command touches besides files: passed in, so that a test can run the command in its own process. */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** For everything besides the answer. */
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Writes, and waits if the reader is slow, so that a long batch never piles up in memory. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes a part of the answer, as lines of its own. */
export function print({ stdout }: Pick<CommandIo, 'stdout'>, text: string): Promise<void> {
  return write(stdout, `${text}\n`);
}

/** Writes what is not part of the answer. */
export function note({ stderr }: Pick<CommandIo, 'stderr'>, text: string): Promise<void> {
  return write(stderr, `${text}\n`);
}

/** Ignores write errors: a command whose stderr was closed still has an answer to write. */
export function withoutFailures<Stream extends Writable>(stream: Stream): Stream {
  stream.on('error', () => undefined);
  function writeAnyway(chunk: unknown, encoding?: BufferEncoding | Written, written?: Written): boolean {
    const done = (): void => (typeof encoding === 'function' ? encoding : written)?.();
    return typeof encoding === 'string' ? stream.write(chunk, encoding, done) : stream.write(chunk, done);
  }
  return Object.assign(Object.create(stream) as Stream, { write: writeAnyway });
}

type Written = (error?: Error | null) => void;
