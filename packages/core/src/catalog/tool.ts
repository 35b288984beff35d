import { CatalogError } from '../errors.ts';
import type { Json, JsonObject } from './json.ts';

/** A JSON Schema as a provider sends it: passed through, never normalised. */
export type JsonSchema = JsonObject;

/**
 * When a tool may be deferred: `never` sends it in full every time, `automatic` leaves it to the gate,
 * `always` defers it whenever search is enabled.
 */
export type Policy = 'never' | 'automatic' | 'always';

/** The definition formats that the catalog reads and writes. */
export type ToolFormat = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'mcp' | 'ai-sdk';

/** One tool, whatever its format. Identity is server and name; it contains no executor and no secret. */
export interface Tool {
  /** `server/name`, or only the name without a server. Unique in a snapshot. */
  readonly id: string;
  readonly server?: string;
  /** The name as its owner wrote it. What a model sees is made from it by each surface's name template. */
  readonly name: string;
  /** Empty if the definition has none. */
  readonly description: string;
  /** The input schema; an object without properties if the definition has none. */
  readonly schema: JsonSchema;
  readonly policy: Policy;
  readonly extras: ToolExtras;
}

/** The rest of a definition. Meanings that formats share have a field; everything else is kept verbatim per format. */
export interface ToolExtras {
  readonly title?: string;
  readonly strict?: boolean;
  readonly outputSchema?: JsonSchema;
  /** Example inputs. */
  readonly examples?: readonly Json[];
  /** MCP's behaviour hints: `readOnlyHint`, `destructiveHint` and so on. */
  readonly annotations?: JsonObject;
  /** Additional words to be found by, from MCP's `_meta["anthropic/searchHint"]`. */
  readonly searchHint?: string;
  /** The `type` of a provider-defined tool (`web_search_20250305`, `bash_20250124`, …); it has no schema. */
  readonly providerType?: string;
  /** The tool takes one text instead of JSON arguments (OpenAI's custom tools); its schema is a stand-in with the single field `input`. */
  readonly freeform?: true;
  /** The namespace of an OpenAI tool, without its tools; its name is the tool's server. */
  readonly namespace?: JsonObject;
  /**
   * The received definition, whole, under the name of its format: the starting point of a writer, so that unknown fields
   * and the order of keys come back. Held by reference; if it and the tool's own fields disagree, the fields win.
   */
  readonly verbatim?: { readonly [Format in ToolFormat]?: JsonObject };
}

/** The parts of a tool; only the name is required. */
export interface ToolParts {
  readonly name: string;
  /** @default none: the name alone is the tool's identity */
  readonly server?: string | undefined;
  /** @default '' */
  readonly description?: string | undefined;
  /** @default an object without properties */
  readonly schema?: JsonSchema | undefined;
  /** @default 'automatic' */
  readonly policy?: Policy | undefined;
  /** @default {} */
  readonly extras?: ToolExtras | undefined;
}

/** Makes a tool from its parts, with the defaults of a definition that omits them. */
export function createTool(parts: ToolParts): Tool {
  const { name, server, description = '', schema = NO_SCHEMA, policy = 'automatic', extras = NO_EXTRAS } = parts;
  if (name === '') throw new CatalogError('invalid_tool', 'A tool needs a name, and this one is empty');
  // An empty server is no server: the identity `/name` is never written.
  if (server === undefined || server === '') return { id: name, name, description, schema, policy, extras };
  return { id: toolId(server, name), server, name, description, schema, policy, extras };
}

/**
 * A tool's identity: `server/name`, or the name alone. Nothing is escaped, so that people can write it; if two tools
 * share an id because of slashes in their names, a snapshot reports them as duplicates.
 */
export function toolId(server: string | undefined, name: string): string {
  return server === undefined || server === '' ? name : `${server}/${name}`;
}

/** The schema of a tool whose definition has none. */
export const NO_SCHEMA: JsonSchema = Object.freeze({ type: 'object', properties: Object.freeze({}) });

const NO_EXTRAS: ToolExtras = Object.freeze({});
