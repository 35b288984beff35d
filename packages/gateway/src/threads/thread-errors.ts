import { ApiError, toApiError } from '../http/index.ts';
import type { ErrorCodec } from './port-calls.ts';

/** An error that stayed on the main thread, as the worker knows it. */
class HeldError extends Error {
  override readonly name = 'HeldError';
  readonly ticket: number;

  constructor(ticket: number) {
    super('An error of the main thread');
    this.ticket = ticket;
  }
}

interface WrittenError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What an internal error was, for the log. */
  readonly cause?: { readonly name: string; readonly stack: string | undefined } | undefined;
}

/** The worker's side: what it was given it gives back, anything else is told as the client is to hear it. */
export const workerErrors: ErrorCodec = {
  write(error) {
    if (error instanceof HeldError) return { ticket: error.ticket };
    const { status, message, type, details, headers, cause } = toApiError(error);
    const told = cause instanceof Error ? { name: cause.name, stack: cause.stack } : undefined;
    return { error: { status, message, type, details, headers, cause: told } satisfies WrittenError };
  },
  read: (written) => new HeldError((written as { ticket: number }).ticket),
};

/** The main thread's side: errors of upstreams never leave it, so that they come back as they were thrown. */
export function mainErrors(): ErrorCodec {
  const held: unknown[] = [];
  return {
    write: (error) => ({ ticket: held.push(error) - 1 }),
    read(written) {
      const { ticket, error } = written as { readonly ticket?: number; readonly error?: WrittenError };
      if (ticket !== undefined) return held[ticket];
      return error === undefined ? new Error('The worker failed') : readError(error);
    },
  };
}

function readError({ status, message, type, details, headers, cause }: WrittenError): ApiError {
  const origin = new Error('In a worker');
  if (cause !== undefined) {
    origin.name = cause.name;
    if (cause.stack !== undefined) origin.stack = cause.stack;
  }
  return new ApiError(status, message, {
    ...{ type, headers, cause: origin },
    ...(details === undefined ? {} : { details }),
  });
}
