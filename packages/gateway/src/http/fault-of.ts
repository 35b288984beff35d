import type { StoreError } from '@quartermaster/host/store';
import { UpstreamError } from '@quartermaster/host/upstream';
import { UpstreamEventError } from '@quartermaster/wires/anthropic';
import type { ApiError } from './api-error.ts';

/**
 * What can be logged about an internal error: its kind, and where it was thrown. Its message may quote a client. Undefined for
 * an error that is not ours, such as the upstream's own 500.
 */
export function faultOf(error: ApiError | undefined): Fault {
  const cause = error?.cause;
  if (isStoreError(cause) && error?.status !== 500) return storeFault(cause);
  if (cause instanceof UpstreamError || cause instanceof UpstreamEventError) return {};
  return error?.status === 500 ? originOf(cause) : {};
}

interface Fault {
  readonly error?: string;
  readonly place?: string | undefined;
  /** Why, in words that contain nothing from a request. */
  readonly reason?: string;
  /** The code of the database or the system: `57P01`, `ECONNREFUSED`, `SQLITE_FULL`. */
  readonly code?: string;
}

/** The same for an error that no client sees. */
export function originOf(cause: unknown): Fault {
  if (isStoreError(cause)) return storeFault(cause);
  if (!(cause instanceof Error)) return {};
  // The message precedes the stack frames, and may look like one.
  const lines = cause.stack?.replace(cause.message, '').split('\n');
  return { error: cause.name, place: lines?.find((line) => PLACE.test(line))?.trim() };
}

function storeFault({ name, message, code, cause }: StoreError): Fault {
  const said = cause instanceof Error && 'code' in cause ? String(cause.code) : code;
  return { error: name, reason: message, code: said };
}

const PLACE = /^\s+at /;

/** Recognized by its name: importing its class would load the database drivers into every worker thread. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError' && 'code' in error;
}
