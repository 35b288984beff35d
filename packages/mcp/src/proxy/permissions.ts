import type { Tool } from '@quartermaster/core';
import { compileGlob, type Glob } from '@quartermaster/core/catalog';

/**
 * Which tools a key may use, by patterns in which `*` matches any text: `github/create_issue`, `github/*`, `*\/delete_*`, a
 * server's name for all of its tools, or the agents' spelling, `mcp__github__*`. A name without a slash also means the tool of that
 * name: in `allow` one without a server, in `deny` one of any server. `deny` overrides `allow`.
 */
export interface Permissions {
  /** @default everything */
  readonly allow?: readonly string[];
  /** @default nothing */
  readonly deny?: readonly string[];
}

/** A client's permissions, ready to be checked. */
export interface CompiledPermissions {
  /** Applied before a search, and again at the call. The same function for the same permissions. */
  readonly allowsTool: (tool: Pick<Tool, 'server' | 'name'>) => boolean;
  /** For what belongs to a whole server: its prompts, its resources, and its existence. */
  readonly allowsServer: (server: string) => boolean;
}

/** How many compiled sets of patterns are cached. */
const MOST_KEPT = 1_000;
const kept = new Map<string, CompiledPermissions>();

/** Compiled once per content: plans are cached by the identity of the filter, and keys often share their permissions. */
export function compilePermissions(permissions: Permissions): CompiledPermissions {
  const key = JSON.stringify([permissions.allow ?? null, permissions.deny ?? null]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const compiled = compile(permissions);
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, compiled);
  return compiled;
}

function compile({ allow, deny = [] }: Permissions): CompiledPermissions {
  const allowed = allow?.map(readPattern);
  const denied = deny.map(readPattern);
  const matches = ({ server = '', name }: Named, pattern: Pattern): boolean =>
    pattern.server.matches(server) && pattern.tool.matches(name);
  const isAllowed = (tool: Named): boolean =>
    allowed === undefined ||
    allowed.some(
      (pattern) => matches(tool, pattern) || (tool.server === undefined && pattern.alone?.matches(tool.name)),
    );
  const isDenied = (tool: Named): boolean =>
    denied.some((pattern) => matches(tool, pattern) || pattern.alone?.matches(tool.name));
  return {
    allowsTool: (tool) => isAllowed(tool) && !isDenied(tool),
    allowsServer: (server) =>
      (allowed === undefined || allowed.some((pattern) => pattern.server.matches(server))) &&
      !denied.some((pattern) => pattern.isWhole && pattern.server.matches(server)),
  };
}

type Named = Pick<Tool, 'server' | 'name'>;

interface Pattern {
  readonly server: Glob;
  readonly tool: Glob;
  /** A name without a slash, which may be a tool's or a server's. */
  readonly alone?: Glob;
  /** Whether it covers a whole server. */
  readonly isWhole: boolean;
}

function readPattern(text: string): Pattern {
  const agent = /^mcp__(.+?)(?:__(.*))?$/.exec(text);
  const slash = text.indexOf('/');
  const server = agent?.[1] ?? (slash === -1 ? text : text.slice(0, slash));
  const tool = agent === null ? (slash === -1 ? '*' : text.slice(slash + 1)) : (agent[2] ?? '*');
  const alone = agent === null && slash === -1 ? { alone: compileGlob(text) } : {};
  return { server: compileGlob(server), tool: compileGlob(tool), isWhole: tool === '*', ...alone };
}
