import { type Client, createClient } from '@quartermaster/client';

/** Kept in memory only: closing the tab forgets it. */
let apiKey: string | undefined;

export function rememberKey(key: string): void {
  apiKey = key;
}

/** The gateway that serves this page, and nothing else. */
export const gateway: Client = createClient({ apiKey: () => apiKey });
