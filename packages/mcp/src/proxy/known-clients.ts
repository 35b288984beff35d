import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** Whether our tools are marked so that a client does not hide them behind its own search. */
export type AlwaysLoad = 'auto' | 'always' | 'never';

/** The client, as it identifies itself. */
export interface ClientInfo {
  readonly name: string;
}

/** Claude Code hides the tools of MCP servers behind its own search, and with them the search that finds the others. */
const MARK = 'anthropic/alwaysLoad';
const HIDING_CLIENTS = /^claude\b/i;

/** A client that does not identify itself gets the mark too: other clients ignore it. */
export function mustAlwaysLoad(setting: AlwaysLoad, client: ClientInfo | undefined): boolean {
  if (setting !== 'auto') return setting === 'always';
  return client === undefined || HIDING_CLIENTS.test(client.name);
}

export function withAlwaysLoad(definition: JsonObject): JsonObject {
  const meta = isJsonObject(definition._meta) ? definition._meta : {};
  return { ...definition, _meta: { ...meta, [MARK]: true } };
}

/** How many tools a client shows its model. It silently drops the rest, so a longer list is deferred for it. */
export function mostTools(client: ClientInfo | undefined): number {
  const known = TOOL_LIMITS.find(({ name }) => name.test(client?.name ?? ''));
  return known?.most ?? Number.POSITIVE_INFINITY;
}

const TOOL_LIMITS: readonly { readonly name: RegExp; readonly most: number }[] = [
  { name: /^cursor\b/i, most: 40 },
  { name: /^windsurf\b/i, most: 100 },
  { name: /^(?:visual studio code|vs ?code)\b/i, most: 128 },
];
