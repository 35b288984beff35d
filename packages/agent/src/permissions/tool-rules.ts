import type { Tool } from '@quartermaster/core';
import { compileGlob, type JsonObject } from '@quartermaster/core/catalog';
import { invalidSetting } from '../invalid-setting.ts';

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

/**
 * Throws a `SettingError` for a rule that can't match any tool: it would silently have no effect. A tool of an MCP server
 * is named with its server, or by a pattern.
 */
export function checkToolRules(setting: string, rules: readonly string[], known: ReadonlySet<string>): void {
  if (!Array.isArray(rules)) {
    throw invalidSetting({ setting, value: rules }, `${setting} is ${JSON.stringify(rules)}; allowed: a list of rules`);
  }
  for (const rule of rules) {
    if (typeof rule === 'string' && (rule.startsWith('mcp__') || known.has(rule.replace(CALLS, '')) || isPattern(rule)))
      continue;
    // A rule that denies an unknown tool is kept.
    const name = typeof rule === 'string' ? rule.replace(CALLS, '') : '';
    if (setting.endsWith('disallowedTools') && SDK_TOOLS.has(name)) continue;
    const advice = SDK_TOOLS.has(name)
      ? 'it is a tool of the agent SDK that is not available here. Use an MCP server, or a tool of your own.'
      : 'no tool has that name. Write mcp__server__tool, mcp__server__* or mcp__server.';
    throw invalidSetting({ setting, value: rule }, `${setting} names ${JSON.stringify(rule)}, but ${advice}`);
  }
}

/** The calls that a rule such as `Bash(git diff:*)` matches. */
const CALLS = /\(.*\)$/s;

function isPattern(rule: string): boolean {
  return rule.includes('*') && !CALLS.test(rule);
}

const SDK_TOOLS: ReadonlySet<string> = new Set(
  `Agent AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillBash KillShell ListMcpResources LS MultiEdit
  NotebookEdit NotebookRead Read ReadMcpResource Skill SlashCommand Task TaskOutput TaskStop TodoWrite ToolSearch WebFetch
  WebSearch Write`.split(/\s+/),
);
