import type { JsonObject, Snapshot, Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import { checkOptionNames, notAllowed, readWholeNumber, wrongSetting } from '../check-option-names.ts';
import { untilAborted } from '../clock.ts';
import type { Plan } from '../disclosure/index.ts';
import { ownNamed } from '../disclosure/internal.ts';
import {
  type Call,
  type Caller,
  createToolbox,
  type HookContext,
  type Resolved,
  readDefinitions,
  type Toolbox,
  type ToolboxOptions,
  type ToolOutcome,
} from '../dispatch/index.ts';
import { checkToolboxOptions } from '../dispatch/internal.ts';
import { contextWindow } from '../gate/index.ts';
import { runLoop } from '../loop/index.ts';
import { askModel, readModel } from './ask-model.ts';
import type { Message, Model, ModelUsage } from './model.ts';
import { addToMessages, addUsage, type PlainPart, type PlainReason, plainWire } from './plain-wire.ts';

/** What `runTools` needs. The settings of a toolbox are allowed too, unless `tools` is one. */
export interface RunToolsOptions extends ToolSettings {
  /** A function, or an endpoint that speaks OpenAI's chat completions. */
  readonly model: Model;
  /** Definitions in any known format, each with an `execute` function unless `execute` is set for all; or a toolbox. */
  readonly tools: ToolsForRun;
  /** The conversation so far, or the user's first message. */
  readonly messages: string | readonly Message[];
  /** How often the model is called at most, at least 1. @default 20 */
  readonly maxRounds?: number;
  /** The model's context window in tokens. @default known for common models, otherwise 128,000 */
  readonly contextTokens?: number;
  /** Whether the latest user message is searched before the model is called, and matching tools are offered with it. @default false */
  readonly prefetch?: boolean;
  /** The caller, which limits the tools. @default a caller that may use everything */
  readonly caller?: Caller;
  /** Ends the run: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with what happens, as it happens. What it throws ends the run. */
  readonly onEvent?: (event: RunToolsEvent) => void;
}

/** What happens during a run. */
export type RunToolsEvent =
  /** The model is called, for the `round`th time. */
  | { readonly kind: 'round'; readonly round: number }
  /** A piece of the model's text. */
  | { readonly kind: 'text'; readonly text: string }
  /** The model has called a tool. `isSearch`: one of our own, such as `tool_search`. */
  | ({ readonly kind: 'call'; readonly isSearch: boolean } & Call)
  /** The answer to a call, for the model. */
  | { readonly kind: 'result'; readonly id: string; readonly content: string; readonly isError: boolean };

/** How a run has ended. */
export interface RunToolsResult {
  /** The model's last text. */
  readonly text: string;
  /** The whole conversation. To continue, append a user message and pass it again. */
  readonly messages: readonly Message[];
  /** `done`: the model has finished. `rounds`: `maxRounds` was reached. `cut`: the model's token limit cut the answer off. */
  readonly ending: 'done' | 'rounds' | 'cut';
  /** How often the model was called. */
  readonly rounds: number;
  /** Summed over all rounds; 0 if the model does not report it. */
  readonly usage: ModelUsage;
}

/** The default limit of calls to the model. */
export const RUN_TOOLS_DEFAULTS: { readonly maxRounds: number } = { maxRounds: 20 };

/**
 * Runs a conversation to its end: calls the model, answers its searches, executes the tools it calls, and calls it again. For programs that
 * use no SDK. What a tool throws is reported to the model; if the model throws, the run rejects.
 *
 * @example
 * const { text } = await runTools({
 *   model: { url: 'http://localhost:11434/v1', model: 'qwen3' },
 *   tools: [{ name: 'get_weather', description: 'The weather of a city', inputSchema, execute: ({ city }) => weatherOf(city) }],
 *   messages: 'What is the weather in Oslo?',
 * });
 */
export async function runTools(options: RunToolsOptions): Promise<RunToolsResult> {
  const names = `${TOOL_SETTINGS} model tools messages maxRounds contextTokens prefetch caller signal onEvent` as const;
  checkOptionNames('runTools', options, names);
  checkToolboxOptions(options);
  const maxRounds = readWholeNumber('maxRounds', options.maxRounds ?? RUN_TOOLS_DEFAULTS.maxRounds);
  const model = readModel(options.model);
  const toolbox = toolboxFor(options);
  const { caller = {}, signal } = options;
  const limits = contextWindow(defined({ override: options.contextTokens, model: modelName(model) }));
  const run: Run = { messages: readMessages(options.messages), rounds: 0, usage: { inputTokens: 0, outputTokens: 0 } };

  for (;;) {
    const plan = localPlan(toolbox.plan(limits, { caller }));
    const { pending, reason } = await runResponse({ options, toolbox, plan, run, maxRounds });
    const outcomes = await Promise.all(
      pending.map(async (call) => {
        const outcome = await untilAborted(toolbox.execute(call, defined({ caller, signal })), signal);
        options.onEvent?.(resultOf(call, outcome));
        return resultOf(call, outcome);
      }),
    );
    for (const result of outcomes) run.messages = addToMessages(run.messages, result);
    if (reason === 'calls' && run.rounds < maxRounds) continue;
    const ending = reason === 'done' || reason === 'cut' ? reason : 'rounds';
    return { text: lastText(run.messages), ending, ...run };
  }
}

interface Run {
  messages: readonly Message[];
  rounds: number;
  usage: ModelUsage;
}

/** One response of the model: all its searches answered, and the calls that are left to execute. */
async function runResponse(response: {
  readonly options: RunToolsOptions;
  readonly toolbox: Toolbox;
  readonly plan: Plan;
  readonly run: Run;
  readonly maxRounds: number;
}): Promise<{ readonly pending: readonly Resolved[]; readonly reason: PlainReason }> {
  const { options, toolbox, plan, run, maxRounds } = response;
  const { model, caller, signal, prefetch, onEvent } = options;
  const pending: Resolved[] = [];
  let reason: PlainReason = 'done';
  const parts = runLoop({
    wire: plainWire,
    upstream: (request, aborted) => askModel(model, request, { plan, signal: aborted }),
    // Every call is checked by the toolbox: there is no client that would.
    toolbox: { ...toolbox, holds: () => () => true },
    plan,
    request: { messages: run.messages, tools: [] },
    maxRounds: maxRounds - run.rounds,
    onRound() {
      run.rounds += 1;
      onEvent?.({ kind: 'round', round: run.rounds });
    },
    ...defined({ caller, signal, prefetch }),
  });
  for await (const part of parts) {
    run.messages = addToMessages(run.messages, part);
    tell(part, plan, onEvent);
    if (part.kind === 'made' && part.tool !== undefined) pending.push(toResolved(part, part.tool));
    if (part.kind !== 'close') continue;
    reason = part.reason;
    run.usage = addUsage(run.usage, part.usage);
  }
  return { pending, reason };
}

function tell(part: PlainPart, plan: Plan, onEvent: RunToolsOptions['onEvent']): void {
  if (onEvent === undefined) return;
  if (part.kind === 'text' || part.kind === 'result') onEvent(part);
  if (part.kind !== 'made') return;
  const { id, name, arguments: input } = part;
  onEvent({ kind: 'call', id, name, arguments: input, isSearch: ownNamed(plan, name) !== undefined });
}

function toResolved(part: PlainPart & { readonly kind: 'made' }, tool: Tool): Resolved {
  return { id: part.id, tool, name: part.name, arguments: part.arguments as Resolved['arguments'] };
}

function resultOf(call: Resolved, outcome: ToolOutcome): PlainPart & { readonly kind: 'result' } {
  return { kind: 'result', id: call.id, content: outcome.text, isError: outcome.isError };
}

function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' ? last.content : '';
}

function readMessages(messages: string | readonly Message[]): readonly Message[] {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }];
  if (Array.isArray(messages) && messages.length > 0) return messages;
  throw notAllowed('messages', messages, 'a string, or a list with at least one message');
}

/** The forms `native` and `hosted` need blocks that only some protocols have. */
function localPlan(plan: Plan): Plan {
  if (plan.kind === 'inline' || (plan.form.search === 'local' && plan.form.reveal !== 'native')) return plan;
  throw wrongSetting('form', 'runTools needs one of the forms bridge, stub and load');
}

function modelName(model: Model): string | undefined {
  return typeof model === 'function' ? undefined : model.model;
}

/** A definition in any known format, with the function that runs it. */
export interface RunnableTool {
  /** Its return value goes to the model: a string unchanged, an MCP result as its text, anything else as JSON. */
  execute?(input: JsonObject, context: HookContext & { readonly call: Resolved }): unknown;
  readonly [field: string]: unknown;
}

/** The tools of a run: definitions with their functions, a snapshot, or a toolbox that other runs share. */
export type ToolsForRun = readonly (RunnableTool | object)[] | Snapshot | Toolbox;

/** The settings of a toolbox that a run accepts. */
export interface ToolSettings
  extends Pick<
    ToolboxOptions,
    'searcher' | 'engine' | 'settings' | 'form' | 'countTokens' | 'checkArguments' | 'hooks' | 'guard' | 'budget'
  > {
  /** Runs the tools without an `execute`. */
  readonly execute?: ToolboxOptions['execute'];
}

const TOOL_SETTINGS = 'execute searcher engine settings form countTokens checkArguments hooks guard budget';

/** The toolbox of a run. A setting that a given toolbox would ignore is an error, and so is a tool without a function. */
function toolboxFor(options: ToolSettings & { readonly tools: ToolsForRun }): Toolbox {
  const { tools } = options;
  if (isToolbox(tools)) {
    const set = TOOL_SETTINGS.split(' ').filter((name) => options[name as keyof ToolSettings] !== undefined);
    if (set.length === 0) return tools;
    throw wrongSetting(
      'tools',
      `tools is a toolbox, which has settings of its own: pass ${set.join(', ')} to createToolbox`,
    );
  }
  const { searcher, engine, settings, form, countTokens, checkArguments, hooks, guard, budget } = options;
  const rest = { searcher, engine, settings, form, countTokens, checkArguments, hooks, guard, budget };
  const given = defined(rest);
  if (!isList(tools)) {
    const { execute } = options;
    if (execute !== undefined) return createToolbox({ tools, execute, ...given });
    throw wrongSetting('tools', 'execute is missing: nothing runs the tools of the snapshot');
  }
  const runners = new Map<string, RunnableTool['execute']>();
  const read = tools.flatMap((definition) => {
    const { execute, ...bare } = definition as RunnableTool;
    const found = readDefinitions([bare]);
    for (const tool of found) runners.set(tool.id, typeof execute === 'function' ? execute : undefined);
    return found;
  });
  const idle = read.filter((tool) => runners.get(tool.id) === undefined);
  if (options.execute === undefined && idle.length > 0) {
    const names = idle.slice(0, 5).map((tool) => tool.name);
    const more = idle.length > names.length ? ` and ${idle.length - names.length} more` : '';
    throw wrongSetting(
      'tools',
      `No execute function for ${names.join(', ')}${more}: give each tool an execute function, or pass execute`,
    );
  }
  return createToolbox({
    tools: read,
    execute: (call, context) =>
      (runners.get(call.tool.id) ?? inAll(options.execute))(call.arguments, { ...context, call }),
    ...given,
  });
}

/** The function for all tools, called like that of one. */
function inAll(execute: ToolSettings['execute']): NonNullable<RunnableTool['execute']> {
  return (_input, { call, ...context }) => execute?.(call, context);
}

function isToolbox(tools: ToolsForRun): tools is Toolbox {
  return typeof tools === 'object' && tools !== null && 'answer' in tools && 'plan' in tools;
}

function isList(tools: Snapshot | Toolbox | readonly object[]): tools is readonly object[] {
  return Array.isArray(tools);
}
