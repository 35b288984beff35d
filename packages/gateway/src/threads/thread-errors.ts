import { defined } from '@quartermaster/core/internal';
import { ApiError, faultOf, toApiError } from '../http/index.ts';
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
  readonly cause?: Pick<Error, 'name' | 'message' | 'stack'> | undefined;
}

/** The worker's side: what it was given it gives back, anything else is told as the client is to hear it. */
export const workerErrors: ErrorCodec = {
  write(error) {
    if (error instanceof HeldError) return { ticket: error.ticket };
    const told = toApiError(error);
    const { status, message, type, details, headers } = told;
    return { error: { status, message, type, details, headers, cause: internalCause(told) } satisfies WrittenError };
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

/** Of an error that is not ours nothing is logged, and on the main thread it could not be told any more whose it was. */
function internalCause(error: ApiError): WrittenError['cause'] {
  const { cause } = error;
  if (!(cause instanceof Error) || faultOf(error).error === undefined) return undefined;
  const { name, message, stack } = cause;
  return { name, message, ...defined({ stack }) };
}

function readError({ status, message, type, details, headers, cause }: WrittenError): ApiError {
  return new ApiError(status, message, {
    ...{ type, headers },
    ...defined({ details }),
    ...(cause === undefined ? {} : { cause: Object.assign(new Error(cause.message), cause) }),
  });
}
