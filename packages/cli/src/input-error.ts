/** Invalid input from the user: one sentence on stderr, exit status 2, no stack trace. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** A port, a store or a host is unavailable. Reported like invalid input, but a retry may help. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** The user pressed Ctrl+C at a prompt: the command ends there, without another question. */
export class InterruptedError extends Error {
  override readonly name: string = 'InterruptedError';
}

/** A place in a file, in the format of compilers. */
export function at(file: string, line?: number): string {
  return line === undefined ? file : `${file}:${line}`;
}
