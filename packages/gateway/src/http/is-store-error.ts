import type { StoreError } from '@quartermaster/host/store';

/** Known by its name: to import its class would load the database drivers into every worker thread. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError' && 'code' in error;
}
