import type { Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { OptionNames } from '../check-option-names.ts';
import { untilAborted } from '../clock.ts';
import type { Plan } from '../disclosure/index.ts';
import type { Caller, Resolved, Toolbox, ToolOutcome } from '../dispatch/index.ts';
import { checkToolboxOptions } from '../dispatch/internal.ts';
import { SettingError } from '../errors.ts';
import { contextWindow } from '../gate/index.ts';
import { runLoop } from '../loop/index.ts';
import { readWholeNumber } from '../read-whole-number.ts';
import { addToMessages } from './add-to-messages.ts';
import { askModel, readModel } from './ask-model.ts';
import type { Message } from './message.ts';
import type { Model, ModelUsage } from './model.ts';
import { type PlainPart, type PlainReason, plainWire } from './plain-wire.ts';
import { TOOL_SETTINGS, type ToolSettings, type ToolsForRun, toolboxFor } from './toolbox-for.ts';

/** What `runTools` needs. The settings of a toolbox are allowed too, unless `tools` is one. */
export interface RunToolsOptions extends ToolSettings {
  /** A function, or an endpoint that speaks OpenAI's chat completions. */
  readonly model: Model;
  /** Definitions in any known format, each with an `execute` function unless `execute` is set for all; or a toolbox. */
  readonly tools: ToolsForRun;
  /** The conversation so far, or the user's first words. */
  readonly messages: string | readonly Message[];
  /** How often the model is asked at most, at least 1. @default 20 */
  readonly maxRounds?: number;
  /** The model's context window in tokens. @default known for common models, otherwise 128,000 */
  readonly contextTokens?: number;
  /** Whether the latest user message is searched before the model is asked, and what fits is offered with it. @default false */
  readonly prefetch?: boolean;
  /** Who is asking: limits the tools. @default a caller that may use everything */
  readonly caller?: Caller;
  /** Ends the run: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with what happens, while it happens. What it throws ends the run. */
  readonly onEvent?: (event: RunToolsEvent) => void;
}

/** What happens during a run. */
export type RunToolsEvent =
  /** The model is asked, for the `round`th time. */
  | { readonly kind: 'round'; readonly round: number }
  /** A piece of the model's text. */
  | { readonly kind: 'text'; readonly text: string }
  /** The model has called a tool. `isSearch`: one of our own, such as `tool_search`. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
      readonly isSearch: boolean;
    }
  /** The answer that the model gets to a call. */
  | { readonly kind: 'result'; readonly id: string; readonly content: string; readonly isError: boolean };

/** How a run has ended. */
export interface RunToolsResult {
  /** The model's last words. */
  readonly text: string;
  /** The whole conversation. To continue, append a user message and pass it again. */
  readonly messages: readonly Message[];
  /** `done`: the model has finished. `rounds`: `maxRounds` was reached. `cut`: the model's token limit cut the answer off. */
  readonly ending: 'done' | 'rounds' | 'cut';
  /** How often the model was asked. */
  readonly rounds: number;
  /** Summed over all rounds; 0 where the model does not report it. */
  readonly usage: ModelUsage;
}

/** How often the model is asked at most, unless the options say otherwise. */
export const RUN_TOOLS_DEFAULTS: { readonly maxRounds: number } = { maxRounds: 20 };

/**
 * Runs a conversation to its end: asks the model, answers its searches, executes the tools it calls, and asks again. For programs that
 * use no SDK. What a tool throws is reported to the model; what the model throws rejects.
 *
 * @example
 * const { text } = await runTools({
 *   model: { url: 'http://localhost:11434/v1', model: 'qwen3' },
 *   tools: [{ name: 'get_weather', description: 'The weather of a city', inputSchema, execute: ({ city }) => weatherOf(city) }],
 *   messages: 'What is the weather in Oslo?',
 * });
 */
export async function runTools(options: RunToolsOptions): Promise<RunToolsResult> {
  checkToolboxOptions(options, { owner: 'runTools', allowed: OPTIONS });
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

const OPTIONS: OptionNames<RunToolsOptions> = {
  ...TOOL_SETTINGS,
  model: true,
  tools: true,
  messages: true,
  maxRounds: true,
  contextTokens: true,
  prefetch: true,
  caller: true,
  signal: true,
  onEvent: true,
};

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
  const isSearch = plan.kind === 'defer' && plan.own.some((own) => own.name === name);
  onEvent({ kind: 'call', id, name, arguments: input, isSearch });
}

function toResolved(part: PlainPart & { readonly kind: 'made' }, tool: Tool): Resolved {
  return { id: part.id, tool, name: part.name, arguments: part.arguments as Resolved['arguments'] };
}

function resultOf(call: Resolved, outcome: ToolOutcome): PlainPart & { readonly kind: 'result' } {
  return { kind: 'result', id: call.id, content: outcome.text, isError: outcome.isError };
}

function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' ? last.content : '';
}

function readMessages(messages: string | readonly Message[]): readonly Message[] {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }];
  if (Array.isArray(messages) && messages.length > 0) return messages;
  throw invalid('messages', messages, 'a string, or a list with at least one message');
}

/** The forms `native` and `hosted` need blocks that only some protocols have. */
function localPlan(plan: Plan): Plan {
  if (plan.kind === 'inline' || (plan.form.search === 'local' && plan.form.reveal !== 'native')) return plan;
  throw new SettingError('invalid_setting', 'runTools needs one of the forms bridge, stub and load', {
    context: { setting: 'form' },
  });
}

function invalid(setting: string, value: unknown, allowed: string): SettingError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new SettingError('invalid_setting', `${setting} is ${shown}; allowed: ${allowed}`, {
    context: { setting, value },
  });
}

function modelName(model: Model): string | undefined {
  return typeof model === 'function' ? undefined : model.model;
}
