import { type Client, createClient } from '@quartermaster/client';

/** Kept in memory only: closing the tab forgets it. */
let apiKey: string | undefined;

export function rememberKey(key: string): void {
  apiKey = key;
}

/** Whether this page has been given one. */
export function hasKey(): boolean {
  return apiKey !== undefined;
}

/** For requests beside those of the client. */
export function apiKeyHeader(): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { 'x-api-key': apiKey };
}

/** The gateway that serves this page, and nothing else. */
export const gateway: Client = createClient({ apiKey: () => apiKey });
