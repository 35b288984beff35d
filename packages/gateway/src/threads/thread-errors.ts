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

interface WrittenError
  extends Pick<ApiError, 'status' | 'message' | 'type' | 'details' | 'hostType' | 'code' | 'param' | 'headers'> {
  /** Describes an internal error, for the log. */
  readonly cause?: Pick<Error, 'name' | 'message' | 'stack'> | undefined;
}

/** The worker's side: it returns errors that it was given, and sends any other as the client will see it. */
export const workerErrors: ErrorCodec = {
  write(error) {
    if (error instanceof HeldError) return { ticket: error.ticket };
    const told = toApiError(error);
    const { status, message, type, details, hostType, code, param, headers } = told;
    const cause = internalCause(told);
    return { error: { status, message, type, details, hostType, code, param, headers, cause } satisfies WrittenError };
  },
  read: (written) => new HeldError((written as { ticket: number }).ticket),
};

/** The main thread's side: errors of upstreams never leave it, so that they are thrown unchanged. */
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

/** Nothing is logged about an error that is not ours, and the main thread could not tell the difference later. */
function internalCause(error: ApiError): WrittenError['cause'] {
  const { cause } = error;
  if (!(cause instanceof Error) || faultOf(error).error === undefined) return undefined;
  const { name, message, stack } = cause;
  return { name, message, ...defined({ stack }) };
}

function readError({ status, message, cause, ...told }: WrittenError): ApiError {
  return new ApiError(status, message, { ...told, cause: cause && Object.assign(new Error(cause.message), cause) });
}
