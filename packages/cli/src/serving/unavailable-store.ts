import { StoreError } from '@quartermaster/host/store';
import { UnavailableError } from '../input-error.ts';

/** For a store in a file that can't be had: which, why, and what to do about it. */
export function unavailableStore(path: string, cause: unknown): UnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  // The store's own errors begin with its name; those of the file system name whatever is in the way.
  const told = cause instanceof StoreError ? reason : `The store ${path} can't be opened: ${reason}`;
  return new UnavailableError(`${told}; name another with --store FILE, or keep nothing with --store :memory:`, {
    cause,
  });
}
