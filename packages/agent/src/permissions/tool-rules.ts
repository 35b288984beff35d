import type { Tool } from '@quartermaster/core';
import { compileGlob, type JsonObject } from '@quartermaster/core/catalog';

/** Whether a list of rules names a tool, or a call of it. Rules about some calls only, such as `Bash(git *)`, fit none without input. */
export type ToolRules = (tool: Tool, modelName: string, input?: JsonObject) => boolean;

export interface RuleOptions {
  readonly servers: readonly string[];
  /** What a rule with brackets is compared with, for tools that have such rules. */
  readonly subjectOf?: (tool: Tool, input: JsonObject) => string | undefined;
  /** Whether the rules forbid: then one part of a command is enough, otherwise all of it has to be allowed. */
  readonly forbids?: boolean;
}

/**
 * Rules as the agent SDK writes them: `mcp__server__tool`, `mcp__server__*`, `mcp__server` for all of it, `*` standing for any text.
 *
 * Two underscores may also stand in names, so the longest server that a rule begins with is meant: `mcp__a__*` does not
 * cover the tools of a server `a__b`. A rule that begins with no server's name is matched against the whole name of the tool.
 */
export function compileToolRules(patterns: readonly string[], options: RuleOptions): ToolRules {
  const rules = patterns.map((pattern) => compileCallRule(pattern, options) ?? compileRule(pattern, options.servers));
  return (tool, modelName, input) => rules.some((rule) => rule(tool, modelName, input));
}

/** `Bash(git status)`, `Bash(git diff:*)`, `Read(src/*)`: some calls of a tool that belongs to no server. */
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
    // What a command substitutes or redirects is no part of what the rule's author has read.
    return !/[;&|\n`$<>]/.test(subject) && fits(subject);
  };
}

/**
 * The commands that a line of a shell may run: as they are written, and without what hides a name. Nothing that a rule can rely on,
 * since a shell has no end of ways to spell a command.
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
  // A name that had to be changed for the model (too long, odd characters) may be what the rule's author has seen.
  return (tool, modelName) => tool.server === named && (glob.matches(tool.name) || modelName === pattern);
}

function prefixOf(server: string): string {
  return `mcp__${server}`;
}
