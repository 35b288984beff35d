import { CatalogError } from '../errors.ts';
import { isJsonObject } from './json.ts';
import type { Policy, Tool } from './tool.ts';

/**
 * Which tools may be deferred, by three kinds of rule. The most specific matching one wins, whatever the order:
 * 1. `tools`: an id (`github/create_issue`), or the name in an agent's spelling (`mcp__github__create_issue`);
 * 2. `patterns`: globs over either spelling (`github/*`, `*\/delete_*`, `mcp__slack__*`); of several, the one with the most
 *    characters other than `*`, and of equals the last;
 * 3. `servers`: a server's name;
 * 4. what the tool's own definition says.
 */
export interface PolicyRules {
  readonly tools?: Readonly<Record<string, Policy>> | undefined;
  readonly patterns?: Readonly<Record<string, Policy>> | undefined;
  readonly servers?: Readonly<Record<string, Policy>> | undefined;
}

/** All policies, for validation and messages. */
export const POLICIES: readonly Policy[] = ['never', 'automatic', 'always'];

/**
 * The tools with the policies that the rules give them. A tool whose policy stays is the same object.
 *
 * @example
 * const ruled = applyPolicies(tools, { patterns: { 'github/*': 'always' }, tools: { 'github/search_code': 'never' } });
 */
export function applyPolicies(tools: readonly Tool[], rules: PolicyRules): readonly Tool[] {
  const decide = compileRules(rules);
  return tools.map((tool) => {
    const policy = decide(tool);
    return policy === tool.policy ? tool : { ...tool, policy };
  });
}

/** A policy from outside; `where` names the setting in the message. */
export function parsePolicy(value: unknown, where: string): Policy {
  const policy = POLICIES.find((known) => known === value);
  if (policy !== undefined) return policy;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
  throw new CatalogError('invalid_policy', `The policy of ${where} is ${shown}, not one of ${POLICIES.join(', ')}`, {
    context: { value, where },
  });
}

function compileRules(rules: PolicyRules): (tool: Tool) => Policy {
  const tools = readRules(rules.tools, 'tool');
  const servers = readRules(rules.servers, 'server');
  const patterns = [...readRules(rules.patterns, 'pattern')]
    .map(([pattern, policy]) => ({ glob: compileGlob(pattern), policy }))
    .reverse()
    .sort((a, b) => b.glob.literalLength - a.glob.literalLength);
  return (tool) => {
    const alias = agentName(tool);
    const exact = tools.get(tool.id) ?? tools.get(alias);
    if (exact !== undefined) return exact;
    const pattern = patterns.find(({ glob }) => glob.matches(tool.id) || (alias !== tool.id && glob.matches(alias)));
    if (pattern !== undefined) return pattern.policy;
    return (tool.server === undefined ? undefined : servers.get(tool.server)) ?? tool.policy;
  };
}

/** The name in permission rules and settings of agents: as its owner wrote it, unlike a model name, which may be shortened. */
function agentName(tool: Tool): string {
  return tool.server === undefined ? tool.name : `mcp__${tool.server}__${tool.name}`;
}

function readRules(rules: unknown, kind: string): Map<string, Policy> {
  if (rules === undefined) return new Map();
  if (!isJsonObject(rules)) {
    throw new CatalogError('invalid_policy', `The ${kind} policies are not an object from ${kind} to policy`);
  }
  return new Map(
    Object.entries(rules).map(([key, value]) => [key, parsePolicy(value, `${kind} ${JSON.stringify(key)}`)]),
  );
}

/** A compiled glob. */
export interface Glob {
  /** The number of characters other than `*`: the more, the more specific. */
  readonly literalLength: number;
  matches(text: string): boolean;
}

/**
 * Compiles a glob in which `*` matches any text, including the empty one and slashes; every other character matches itself.
 * Matching looks for each piece once, from left to right: the leftmost place is always good enough, so there is no
 * backtracking.
 */
export function compileGlob(pattern: string): Glob {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const literalLength = pattern.length - (pieces.length - 1);
  if (pieces.length === 1) return { literalLength, matches: (text) => text === pattern };
  return {
    literalLength,
    matches(text) {
      if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
      const end = text.length - last.length;
      let at = first.length;
      for (const piece of middle) {
        const found = text.indexOf(piece, at);
        if (found === -1 || found + piece.length > end) return false;
        at = found + piece.length;
      }
      return true;
    },
  };
}
