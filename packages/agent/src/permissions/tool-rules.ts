import type { Tool } from '@quartermaster/core';
import { compileGlob, type JsonObject } from '@quartermaster/core/catalog';

/** Whether a list of rules matches a tool, or a call of it. Rules for certain calls, such as `Bash(git *)`, match none without input. */
export type ToolRules = (tool: Tool, modelName: string, input?: JsonObject) => boolean;

export interface RuleOptions {
  readonly servers: readonly string[];
  /** What a rule with brackets is compared with, for tools that support such rules. */
  readonly subjectOf?: (tool: Tool, input: JsonObject) => string | undefined;
  /** Whether the rules deny: then one part of a command is enough to match; otherwise all of it has to match. */
  readonly forbids?: boolean;
}

/**
 * Rules in the agent SDK's spelling: `mcp__server__tool`, `mcp__server__*`, `mcp__server` for all of it. `*` matches any text.
 *
 * Names may contain two underscores, so the longest server name that a rule starts with counts: `mcp__a__*` does not
 * match the tools of a server `a__b`. A rule that starts with no server's name is compared with the whole name of the tool.
 */
export function compileToolRules(patterns: readonly string[], options: RuleOptions): ToolRules {
  const rules = patterns.map((pattern) => compileCallRule(pattern, options) ?? compileRule(pattern, options.servers));
  return (tool, modelName, input) => rules.some((rule) => rule(tool, modelName, input));
}

/** `Bash(git status)`, `Bash(git diff:*)`, `Read(src/*)`: certain calls of a tool that belongs to no server. */
function compileCallRule(pattern: string, { subjectOf, forbids = false }: RuleOptions): ToolRules | undefined {
  const [, name, text = ''] = /^(\w+)\((.*)\)$/s.exec(pattern) ?? [];
  if (name === undefined) return undefined;
  const prefix = text.endsWith(':*') ? text.slice(0, -':*'.length) : undefined;
  const glob = compileGlob(text.replace(/^\.\//, ''));
  const fits = (subject: string): boolean =>
    prefix === undefined ? glob.matches(subject) : subject === prefix || subject.startsWith(`${prefix} `);
  return (tool, _modelName, input) => {
    if (input === undefined || tool.server !== undefined || tool.name !== name) return false;
    const subject = subjectOf?.(tool, input);
    if (subject === undefined) return false;
    if (name !== 'Bash') return fits(subject);
    if (forbids) return commandsIn(subject).some(fits);
    // The author of the rule has not seen what a command substitutes or where it redirects.
    return !/[;&|\n`$<>]/.test(subject) && fits(subject);
  };
}

/**
 * The commands that a shell line may run: as written, and with quoting and paths stripped. Rules can't rely on it,
 * because a shell has countless ways to spell a command.
 */
function commandsIn(line: string): readonly string[] {
  return line.split(/[;&|\n(){}`]+/).flatMap((part) => {
    const written = part.trim().replace(/\s+/g, ' ');
    const bare = written.replace(/['"\\]/g, '').replace(/^(?:(?:\w+=\S*|then|do|else|!|exec|command|env|sudo) )+/, '');
    const name = bare.replace(/^\S*\//, '');
    return [written, bare, name];
  });
}

function compileRule(pattern: string, servers: readonly string[]): ToolRules {
  const [named] = servers
    .filter((server) => pattern === prefixOf(server) || pattern.startsWith(`${prefixOf(server)}__`))
    .sort((left, right) => right.length - left.length);
  if (named === undefined) {
    const glob = compileGlob(pattern);
    return (tool, modelName) => glob.matches(modelName) || glob.matches(`${prefixOf(tool.server ?? '')}__${tool.name}`);
  }
  const rest = pattern.slice(`${prefixOf(named)}__`.length);
  const glob = compileGlob(rest === '' ? '*' : rest);
  // The author may know the name as it was changed for the model (too long, odd characters).
  return (tool, modelName) => tool.server === named && (glob.matches(tool.name) || modelName === pattern);
}

function prefixOf(server: string): string {
  return `mcp__${server}`;
}
