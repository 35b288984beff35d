import { compileGlob, type Tool } from '@quartermaster/core';

/** Whether a list of rules names a tool. */
export type ToolRules = (tool: Tool, modelName: string) => boolean;

/**
 * Rules as the agent SDK writes them: `mcp__server__tool`, `mcp__server__*`, `mcp__server` for all of it, `*` standing for any text.
 *
 * Two underscores may also stand in names, so the longest server that a rule begins with is meant: `mcp__a__*` does not
 * cover the tools of a server `a__b`. A rule that begins with no server's name is matched against the whole name of the tool.
 */
export function compileToolRules(patterns: readonly string[], servers: readonly string[]): ToolRules {
  const rules = patterns.map((pattern) => compileRule(pattern, servers));
  return (tool, modelName) => rules.some((rule) => rule(tool, modelName));
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
