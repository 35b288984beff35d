/** Something that the user gave can't be used: told in one sentence on stderr, exit status 2, no stack trace. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** Something outside can't be had right now: a port, a store. Told like bad input, but trying again may help. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** A place in a file, as compilers write it. */
export function at(file: string, line?: number): string {
  return line === undefined ? file : `${file}:${line}`;
}
