import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core';

/** What programs call the block of their servers. */
const BLOCKS: readonly string[] = ['mcpServers', 'servers', 'context_servers'];

/** The name of the block of servers in another program's file, if it has one. */
export function findServerBlock(document: unknown): string | undefined {
  return BLOCKS.find((key) => isJsonObject(document) && Object.hasOwn(document, key));
}

/**
 * The servers as other programs write them, in our words. Those that are switched off are left out before anything is asked of them:
 * nobody sets the variables of a server that is not used.
 */
export function readForeignServers(block: unknown): unknown {
  if (!isJsonObject(block)) return block;
  const entries = Object.entries(block).filter(([, entry]) => !isOff(entry));
  return Object.fromEntries(entries.map(([name, entry]) => [name, isJsonObject(entry) ? inOurWords(entry) : entry]));
}

function isOff(entry: unknown): boolean {
  return isJsonObject(entry) && (entry.disabled === true || entry.enabled === false);
}

/** Gemini CLI has `httpUrl`, Windsurf `serverUrl`; transports go by many spellings. */
function inOurWords({ httpUrl, serverUrl, enabled, url, type, ...rest }: JsonObject): JsonObject {
  const address = [url, httpUrl, serverUrl].find((one) => one !== undefined && one !== '');
  const transport = httpUrl !== undefined && type === undefined ? 'http' : transportOf(type);
  return {
    ...(transport === undefined ? {} : { type: transport }),
    ...(address === undefined ? {} : { url: address }),
    ...rest,
  };
}

function transportOf(type: Json | undefined): Json | undefined {
  if (typeof type !== 'string') return type;
  if (/^streamable[-_]?http$/i.test(type)) return 'streamable-http';
  return type === 'local' ? 'stdio' : type;
}

/** JSON with comments as plain JSON; what was a comment becomes spaces, so that every line stays where it is. */
export function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (match) => (match.startsWith('"') ? match : match.replace(/[^\n]/g, ' ')));
}

const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
