import type { Snapshot, Tool } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import type { Caller, Resolved } from '@quartermaster/core/dispatch';
import { createTranscriptCache } from '@quartermaster/core/loop';
import { checkAgentField } from './contract/index.ts';
import { type BaseHookInput, runObservers } from './hooks/index.ts';
import { invalidSetting } from './invalid-setting.ts';
import type { ResolvedModel } from './model/index.ts';
import { checkMode, checkToolRules, compileToolRules, type PermissionMode } from './permissions/index.ts';
import type { SDKAssistantMessage, SDKMessage, SDKResultMessage } from './sdk-message.ts';
import { openConversation } from './session/index.ts';
import { type createPlanner, createSideChannel, runTurn, type ToolGuard, type TurnContext } from './turn/index.ts';

/** The tool that gives a task to a subagent. */
export const AGENT_TOOL = 'Agent';

interface SubagentParts {
  readonly definitions: AgentDefinitions;
  /** The query that the subagents work for. */
  readonly parent: () => TurnContext;
  readonly snapshot: () => Snapshot;
  readonly servers: readonly string[];
  readonly model: (name: string) => Promise<ResolvedModel>;
  readonly planner: (caller: Caller) => ReturnType<typeof createPlanner>;
  /** Guards the calls of one subagent. */
  readonly guard: (options: SubagentGuard) => ToolGuard;
  /** Whether its text is yielded too, not only its calls and their results. */
  readonly forwardsText: boolean;
}

interface SubagentGuard {
  readonly caller: Caller;
  readonly about: () => BaseHookInput;
  readonly definition: AgentDefinition;
}

/** Runs one task to its end. Rejects if it fails. */
type RunSubagent = (call: Resolved, signal: AbortSignal) => Promise<string>;

export function agentTool(definitions: AgentDefinitions): Tool {
  const list = Object.entries(definitions).map(([name, { description }]) => `- ${name}: ${description}`);
  return createTool({
    name: AGENT_TOOL,
    description: `Gives a task to a subagent, which works on it with tools of its own and answers once. It sees nothing of this conversation: say all that it needs to know. Subagents:\n${list.join('\n')}`,
    schema: {
      type: 'object',
      properties: {
        subagent_type: { type: 'string', enum: Object.keys(definitions), description: 'Which subagent' },
        description: { type: 'string', description: 'The task in a few words' },
        prompt: { type: 'string', description: 'The task, with all that the subagent needs to know' },
      },
      required: ['subagent_type', 'prompt'],
    },
    policy: 'never',
    // Each of its calls is checked on its own.
    extras: { annotations: { readOnlyHint: true } },
  });
}

export function createSubagents(parts: SubagentParts): RunSubagent {
  // Plans are cached by the identity of the function: one for each definition.
  const scopes = new Map(Object.entries(parts.definitions).map(([name, one]) => [name, scopeOf(one, parts)]));
  return async (call, signal) => {
    const type = String(call.arguments.subagent_type);
    const definition = Object.hasOwn(parts.definitions, type) ? parts.definitions[type] : undefined;
    const allow = scopes.get(type);
    if (definition === undefined || allow === undefined) {
      throw new Error(`There is no subagent ${JSON.stringify(type)}; there are ${[...scopes.keys()].join(', ')}`);
    }
    const parent = parts.parent();
    const caller: Caller = { allow };
    const agent = { agent_id: call.id, agent_type: type };
    const about = (): BaseHookInput => ({ ...parent.about(), ...agent });
    const context: TurnContext = {
      ...parent,
      caller,
      about,
      conversation: await openConversation({ sessionId: parent.conversation.id, store: NOWHERE, isFork: false }),
      planner: parts.planner(caller),
      transcript: createTranscriptCache().storeFor(call.id),
      guard: parts.guard({ caller, about, definition }),
      model: modelOf(definition, parts),
      system: definition.prompt,
      maxTurns: definition.maxTurns ?? parent.maxTurns,
      output: undefined,
      parentToolUseId: call.id,
      side: createSideChannel(),
      agent,
    };
    await runObservers(parent.runHooks, { ...about(), ...agent, hook_event_name: 'SubagentStart' }, signal);
    const prompt = { role: 'user', content: String(call.arguments.prompt) } as const;
    let result: SDKResultMessage | undefined;
    for await (const message of runTurn(context, prompt, { query: signal, turn: signal })) {
      if (message.type === 'result') result = message;
      else for (const shown of forwarded(message, parts.forwardsText)) parent.side.push(shown);
    }
    parent.guard.addDenials(result?.permission_denials ?? []);
    if (result?.subtype === 'success') return result.result === '' ? 'The subagent is done.' : result.result;
    throw new Error(`The subagent ${type} failed: ${result?.errors.join('; ') ?? 'it gave no result'}`);
  };
}

function modelOf({ model }: AgentDefinition, { parent, model: find }: SubagentParts): TurnContext['model'] {
  return model === undefined || model === 'inherit' ? parent().model : () => find(model);
}

/** A subagent's conversation ends with its task. */
const NOWHERE = { read: async () => undefined, append: async () => {} };

/** The tools that a definition allows, out of those the query may use. Subagents can't start subagents. */
function scopeOf(definition: AgentDefinition, { parent, snapshot, servers }: SubagentParts): (tool: Tool) => boolean {
  const named = definition.tools === undefined ? undefined : compileToolRules(definition.tools, { servers });
  const excluded = compileToolRules(definition.disallowedTools ?? [], { servers });
  return (tool) => {
    if (tool.id === AGENT_TOOL || parent().caller.allow?.(tool) === false) return false;
    const name = snapshot().modelName(tool);
    return named?.(tool, name) !== false && !excluded(tool, name);
  };
}

/** Calls and their results are always shown, so that a reader can follow the progress. */
function forwarded(message: SDKMessage, withText: boolean): readonly SDKMessage[] {
  if (withText) return [message];
  if (message.type === 'user') return typeof message.message.content === 'string' ? [] : [message];
  if (message.type !== 'assistant') return [];
  const content = message.message.content.filter(({ type }) => type === 'tool_use');
  const shown: SDKAssistantMessage = { ...message, message: { ...message.message, content } };
  return content.length === 0 ? [] : [shown];
}

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
