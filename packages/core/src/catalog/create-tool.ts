import { CatalogError } from '../errors.ts';
import type { JsonSchema, Policy, Tool, ToolExtras } from './tool.ts';

/** What a tool is made of; only the name is needed. */
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

/** Makes a tool from its parts, with the defaults of a definition that leaves them out. */
export function createTool(parts: ToolParts): Tool {
  const { name, server, description = '', schema = NO_SCHEMA, policy = 'automatic', extras = NO_EXTRAS } = parts;
  if (name === '') throw new CatalogError('invalid_tool', 'A tool needs a name, and this one is empty');
  // An empty server is no server: `/name` would be an identity that is never written.
  if (server === undefined || server === '') return { id: name, name, description, schema, policy, extras };
  return { id: toolId(server, name), server, name, description, schema, policy, extras };
}

/**
 * A tool's identity: `server/name`, or the name alone. Nothing is escaped, so that people can write it; should two tools
 * share an id because of slashes in their names, a snapshot reports them as duplicates.
 */
export function toolId(server: string | undefined, name: string): string {
  return server === undefined || server === '' ? name : `${server}/${name}`;
}

/** The schema of a tool whose definition has none. */
export const NO_SCHEMA: JsonSchema = Object.freeze({ type: 'object', properties: Object.freeze({}) });

const NO_EXTRAS: ToolExtras = Object.freeze({});
