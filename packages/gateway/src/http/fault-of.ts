import type { ApiError } from './api-error.ts';

/**
 * What can be logged of an internal error: its kind, and where it was thrown. Its message may quote what a client sent. Nothing for
 * an error that is not ours.
 */
export function faultOf(error: ApiError | undefined): { readonly error?: string; readonly place?: string | undefined } {
  const cause = error?.cause;
  if (error?.status !== 500 || !(cause instanceof Error)) return {};
  const place = cause.stack?.split('\n').find((line) => line.includes(' at '));
  return { error: cause.name, place: place?.trim() };
}
