import { type Api, type Client, createClient } from '@quartermaster/client';

/** Kept in memory only: closing the tab forgets it. */
let apiKey: string | undefined;

/** Heard by what has been refused before and can try again now. */
export const KEY_CHANGED = 'quartermaster-key-changed';

export function rememberKey(key: string): void {
  apiKey = key;
  dispatchEvent(new Event(KEY_CHANGED));
}

/** Whether this page has been given one. */
export function hasKey(): boolean {
  return apiKey !== undefined;
}

/** For requests that the client does not make. */
export function apiKeyHeader(): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { 'x-api-key': apiKey };
}

/** The gateway that serves this page, and nothing else. */
export const gateway: Client = createClient({ apiKey: () => apiKey });

/** An engine that a search can name. */
export type EngineName = NonNullable<Api['POST /v1/search']['input']['body']['engine']>;
