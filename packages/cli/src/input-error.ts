/** Something that the user gave can't be used: told in one sentence on stderr, exit status 2, no stack trace. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** A place in a file, as compilers write it. */
export function at(file: string, line?: number): string {
  return line === undefined ? file : `${file}:${line}`;
}
