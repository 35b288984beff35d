import { checkAgentField } from '../contract/index.ts';
import { invalidSetting } from '../invalid-setting.ts';
import { checkMode, checkToolRules, type PermissionMode } from '../permissions/index.ts';

/** A subagent: a separate conversation, with its own prompt and tools, that the model can give a task to. */
export interface AgentDefinition {
  /** When to use it, for the model. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** The tools it may use, spelled as in `allowedTools`. @default all tools of the query */
  readonly tools?: readonly string[];
  /** Tools it doesn't see. @default none */
  readonly disallowedTools?: readonly string[];
  /** A model's full name, or `inherit`. @default the query's model */
  readonly model?: string;
  /** How many responses one task may take. @default the query's limit */
  readonly maxTurns?: number;
  /** @default the query's mode */
  readonly permissionMode?: PermissionMode;
}

/** Subagents by name, for `options.agents`. */
export type AgentDefinitions = Readonly<Record<string, AgentDefinition>>;

/** Throws a `SettingError` for an invalid definition. */
export function checkAgents(agents: AgentDefinitions, knownTools: ReadonlySet<string>): void {
  for (const [name, definition] of Object.entries(agents)) {
    const setting = `agents.${name}`;
    for (const [field, value] of Object.entries(definition)) checkAgentField(setting, field, value);
    for (const field of ['description', 'prompt'] as const) {
      if (typeof definition[field] !== 'string' || definition[field] === '') fail(`${setting}.${field}`, 'is missing');
    }
    checkToolRules(`${setting}.tools`, definition.tools ?? [], knownTools);
    checkToolRules(`${setting}.disallowedTools`, definition.disallowedTools ?? [], knownTools);
    const partial = [...(definition.tools ?? []), ...(definition.disallowedTools ?? [])].find((rule) =>
      rule.includes('('),
    );
    if (partial !== undefined) fail(setting, `has the rule ${partial}: rules about some calls belong in allowedTools`);
    if (typeof (definition.model ?? '') !== 'string') fail(`${setting}.model`, 'is not a string');
    if (ALIASES.has(definition.model ?? '')) {
      fail(
        `${setting}.model`,
        `is the alias ${JSON.stringify(definition.model)}: write the model's full name, or inherit`,
      );
    }
    if (definition.permissionMode !== undefined) checkMode(definition.permissionMode);
    const { maxTurns = 1 } = definition;
    if (!Number.isInteger(maxTurns) || maxTurns < 1) fail(`${setting}.maxTurns`, 'is not a whole number above 0');
  }
}

function fail(setting: string, problem: string): never {
  throw invalidSetting({ setting }, `${setting} ${problem}`);
}

/** Aliases are refused: the model that one stands for changes with every version of the SDK. */
const ALIASES: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku', 'fable']);
