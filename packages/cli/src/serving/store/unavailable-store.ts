import { StoreError } from '@quartermaster/host/store';
import { UnavailableError } from '../../input-error.ts';

/** The error for a store file that can't be opened: which file, why, and what to do about it. */
export function unavailableStore(path: string, cause: unknown): UnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const told = cause instanceof StoreError ? withPath(reason, path) : `The store ${path} can't be opened: ${reason}`;
  return new UnavailableError(`${told}; choose another with --store FILE, or keep nothing with --store :memory:`, {
    cause,
  });
}

/** Some of the store's own errors already start with its name. */
function withPath(reason: string, path: string): string {
  return reason.includes(path) ? reason : `${reason} (${path})`;
}
