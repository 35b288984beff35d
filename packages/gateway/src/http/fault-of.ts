import { UpstreamError } from '@quartermaster/host/upstream';
import { UpstreamEventError } from '@quartermaster/wires/anthropic';
import type { ApiError } from './api-error.ts';

/**
 * What can be logged of an internal error: its kind, and where it was thrown. Its message may quote what a client sent. Nothing for
 * an error that is not ours, be it a 500 of the upstream's own.
 */
export function faultOf(error: ApiError | undefined): { readonly error?: string; readonly place?: string | undefined } {
  const cause = error?.cause;
  if (cause instanceof UpstreamError || cause instanceof UpstreamEventError) return {};
  return error?.status === 500 ? originOf(cause) : {};
}

/** The same for an error that no client hears of. */
export function originOf(cause: unknown): { readonly error?: string; readonly place?: string | undefined } {
  if (!(cause instanceof Error)) return {};
  // Its words stand before the places, and may look like one.
  const lines = cause.stack?.replace(cause.message, '').split('\n');
  return { error: cause.name, place: lines?.find((line) => PLACE.test(line))?.trim() };
}

const PLACE = /^\s+at /;
