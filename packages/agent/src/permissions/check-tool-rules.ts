import { SettingError } from '@quartermaster/core/errors';

/**
 * Throws a `SettingError` for a rule that can't match any tool: it would silently have no effect. A tool of an MCP server
 * is named with its server, or by a pattern.
 */
export function checkToolRules(setting: string, rules: readonly string[], known: ReadonlySet<string>): void {
  if (!Array.isArray(rules)) {
    throw new SettingError('invalid_setting', `${setting} is ${JSON.stringify(rules)}; allowed: a list of rules`, {
      context: { setting, value: rules },
    });
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
    throw new SettingError('invalid_setting', `${setting} names ${JSON.stringify(rule)}, but ${advice}`, {
      context: { setting, value: rule },
    });
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
