import { cutText } from '@quartermaster/core/internal';
import { runLoop } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicResponse,
  anthropicWhole,
} from '@quartermaster/wires/anthropic';
import { addedContexts, blockReason, type HookInput, runObservers } from '../hooks/index.ts';
import { blocksOf, textIn, withTexts } from '../message-content.ts';
import { agentWire, isSearching } from '../model/index.ts';
import type {
  SDKAssistantMessage,
  SDKContentBlock,
  SDKMessage,
  SDKResultMessage,
  SDKUserBlock,
  SDKUserMessage,
  Usage,
} from '../sdk-message.ts';
import { CHARACTERS_PER_TOKEN, interruptedResults, withoutResults } from '../session/index.ts';
import { callTools, type ToolUse, toObject } from './call-tools.ts';
import { isCrowded, isTooLong, makeRoom, type Round, requestFor, requestTokens } from './make-room.ts';
import { MOST_OUTPUT_RETRIES } from './structured-output.ts';
import { createTally, readUsage, type Tally } from './tally.ts';
import type { TurnContext } from './turn-context.ts';

export interface TurnSignals {
  /** Ends the whole query. */
  readonly query: AbortSignal;
  /** Ends this turn. */
  readonly turn: AbortSignal;
}

const MOST_ERROR_CHARACTERS = 2_000;

/** How many responses in a row may consist of searches alone, each up to the loop's limit. */
const MOST_PAUSES = 2;

/** Calls in a response that ended this way may not be what the model meant to say. */
const CUT_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded']);

/** The share of the window that the results of one response may take together. */
const RESULTS_SHARE = 0.25;

/**
 * Takes a prompt to its result: the model responds, its calls run in parallel and are answered, until it makes no more. Failures
 * are in the result; only an aborted query throws.
 */
export async function* runTurn(
  context: TurnContext,
  prompt: AnthropicMessage,
  signals: TurnSignals,
): AsyncGenerator<SDKMessage, void, undefined> {
  const tally = createTally(context);
  // The end of the previous turn must not end this one.
  context.guard.takeStop();
  try {
    const accepted = await submit(context, prompt, signals.turn);
    if ('refused' in accepted) {
      yield tally.failure('error_during_execution', [accepted.refused]);
      return;
    }
    await context.conversation.append(accepted.prompt);
    yield yield* rounds(context, tally, signals.turn);
  } catch (error) {
    signals.query.throwIfAborted();
    const results = interruptedResults(context.conversation.messages);
    if (results.length > 0) yield await answer(context, results);
    yield tally.failure('error_during_execution', [messageOf(error)]);
  }
}

type Submitted = { readonly prompt: AnthropicMessage } | { readonly refused: string };

/** Shows a prompt to the hooks, which can reject or extend it. Prompts of subagents come from the model and have their own hooks. */
async function submit(context: TurnContext, prompt: AnthropicMessage, signal: AbortSignal): Promise<Submitted> {
  if (context.parentToolUseId !== null) return { prompt };
  const text = textIn(blocksOf(prompt));
  const about = { ...context.about(), hook_event_name: 'UserPromptSubmit', prompt: text } as const;
  const answers = await context.runHooks(about, signal);
  const refused = blockReason(answers);
  if (refused !== undefined) return { refused: `The prompt was refused by a hook: ${refused}` };
  return { prompt: withTexts(prompt, addedContexts(answers)) };
}

/** Returns the turn's result. */
async function* rounds(
  context: TurnContext,
  tally: Tally,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, SDKResultMessage, undefined> {
  let pauses = 0;
  let retries = 0;
  let isStopHookActive = false;
  for (;;) {
    if (tally.turns >= context.maxTurns)
      return tally.failure('error_max_turns', [`The model was still calling tools after ${context.maxTurns} turns.`]);
    const model = await context.model();
    const refusal = context.ledger.refusal(model.model);
    if (refusal !== undefined) return tally.failure(refusal.subtype, [refusal.message]);
    // Without a search, tools that are missing from the list could not be found later.
    if (!isSearching(context.planner.plan(model))) await context.settle(signal);
    const response = yield* respond({ context, tally, model, signal });
    const content = response.content.filter((block) => block.type !== 'text' || block.text !== '');
    if (content.length > 0) await context.conversation.append({ role: 'assistant', content: content.map(toKept) });
    const message = assistantMessage(context, { ...response, content }, model.model);
    yield message;
    const calls = message.message.content.filter((block): block is ToolUse => block.type === 'tool_use');
    if (response.stop_reason === 'refusal') {
      if (calls.length > 0) yield await answer(context, withoutResults(calls, 'Nothing was called.'));
      return tally.failure('error_during_execution', ['The model refused to answer.']);
    }
    const isCut = CUT_REASONS.has(response.stop_reason ?? '');
    if (calls.length === 0 && response.stop_reason !== 'pause_turn') {
      const text = textIn(message.message.content);
      if (isCut && text === '') return tally.failure('error_during_execution', [CUT_TO_NOTHING]);
      const checked = context.output?.check(text);
      if (checked?.kind === 'wrong') {
        retries += 1;
        if (retries > MOST_OUTPUT_RETRIES)
          return tally.failure('error_max_structured_output_retries', [checked.advice]);
        yield await answer(context, [{ type: 'text', text: checked.advice }]);
        continue;
      }
      const stopping = { ...context.about(), stop_hook_active: isStopHookActive, last_assistant_message: text };
      const input: HookInput =
        context.agent === undefined
          ? { ...stopping, hook_event_name: 'Stop' }
          : { ...stopping, ...context.agent, hook_event_name: 'SubagentStop', agent_transcript_path: '' };
      const answers = await runObservers(context.runHooks, input, signal);
      const objection = answers.find(({ decision }) => decision === 'block');
      if (objection !== undefined && !answers.some((each) => each.continue === false)) {
        isStopHookActive = true;
        yield await answer(context, [{ type: 'text', text: objection.reason ?? 'Go on.' }]);
        continue;
      }
      return tally.success(text, message.message.stop_reason, checked);
    }
    pauses = calls.length > 0 ? 0 : pauses + 1;
    if (pauses >= MOST_PAUSES)
      return tally.failure('error_during_execution', [
        'The model searched for tools again and again, and called none.',
      ]);
    if (calls.length > 0) {
      if (isCut) yield await answer(context, withoutResults(calls, CUT_ADVICE));
      else yield* runCalls(calls, { context, model, signal });
    }
    const stop = context.guard.takeStop();
    if (stop !== undefined) return tally.failure('error_during_execution', [stop]);
  }
}

/** One response. A conversation that has outgrown the window is compacted before it, or when the host reports it. */
async function* respond(round: Round): AsyncGenerator<SDKMessage, AnthropicResponse, undefined> {
  const { context, model } = round;
  for (let isRetry = false; ; isRetry = true) {
    const { total: tokens } = requestTokens(requestFor(context, model), context.planner.plan(model));
    if (!isRetry && isCrowded(tokens, model)) {
      const boundary = await makeRoom(round, tokens);
      if (boundary !== undefined) yield boundary;
    }
    try {
      return yield* ask(round);
    } catch (error) {
      const boundary = !isRetry && isTooLong(error) ? await makeRoom(round, tokens) : undefined;
      if (boundary === undefined) throw error;
      yield boundary;
    }
  }
}

/** The parts as they arrive, if they are wanted, and the whole response at the end. */
async function* ask({
  context,
  tally,
  model,
  signal,
}: Round): AsyncGenerator<SDKMessage, AnthropicResponse, undefined> {
  const { toolbox, caller, transcript } = context;
  const startedMs = context.now();
  const events: AnthropicEvent[] = [];
  const response = runLoop({
    ...{ wire: agentWire, request: requestFor(context, model), plan: context.planner.plan(model) },
    ...{ toolbox, caller, transcript, signal, upstream: model.upstream.stream },
  });
  for await (const event of response) {
    events.push(event);
    if (context.includesPartial && event.type !== 'ping') yield { type: 'stream_event', event, ...marksOf(context) };
  }
  const whole = anthropicWhole.fromParts(events);
  tally.count(whole.usage, model, { ms: context.now() - startedMs, isTurn: true });
  return whole;
}

/** The messages of subagents, then the results of all calls. */
async function* runCalls(
  calls: readonly ToolUse[],
  round: Omit<Round, 'tally'>,
): AsyncGenerator<SDKMessage, void, undefined> {
  const { context, model, signal } = round;
  const { toolbox, caller, maxResultTokens } = context;
  const plan = context.planner.plan(model);
  const running = callTools(calls, {
    toolbox,
    plan,
    memory: agentWire.recall(requestFor(context, model), plan),
    caller,
    signal,
    limits: { mostCharacters: maxResultTokens * CHARACTERS_PER_TOKEN, images: model.capabilities.imagesInResults },
    totalCharacters: Math.floor(model.limits.contextTokens * RESULTS_SHARE) * CHARACTERS_PER_TOKEN,
  });
  yield* context.side.during(running);
  yield await answer(context, await running);
}

async function answer(context: TurnContext, content: readonly SDKUserBlock[]): Promise<SDKUserMessage> {
  await context.conversation.append({ role: 'user', content });
  const marks = marksOf(context);
  context.mark(marks.uuid);
  return { type: 'user', message: { role: 'user', content }, ...marks };
}

/** What identifies a message, and whose it is. */
function marksOf({ conversation, createId, parentToolUseId }: TurnContext) {
  return { uuid: createId(), session_id: conversation.id, parent_tool_use_id: parentToolUseId };
}

function assistantMessage(context: TurnContext, response: AnthropicResponse, model: string): SDKAssistantMessage {
  const { id, stop_reason = null, stop_sequence = null } = response;
  const usage: Usage = readUsage(response.usage);
  return {
    type: 'assistant',
    ...marksOf(context),
    message: {
      id: typeof id === 'string' ? id : context.createId(),
      type: 'message',
      role: 'assistant',
      model: typeof response.model === 'string' && response.model !== '' ? response.model : model,
      // A host may send other blocks; these are the ones that are known.
      content: response.content as readonly unknown[] as readonly SDKContentBlock[],
      stop_reason,
      stop_sequence,
      usage,
    },
  };
}

function toKept(block: AnthropicBlock): AnthropicBlock {
  return block.type === 'tool_use' ? { ...block, input: toObject(block.input) } : block;
}

function messageOf(error: unknown): string {
  return cutText(error instanceof Error ? error.message : String(error), MOST_ERROR_CHARACTERS);
}

const CUT_ADVICE =
  'Nothing was called: the response was cut off at its limit of tokens, and arguments may be missing. Call again, with less at once.';

/** Reasoning may have taken all tokens; or a search or bridge call was cut, which is then left out. */
const CUT_TO_NOTHING =
  'The response was cut off at its limit of tokens before it said anything. options.maxOutputTokens sets that limit.';
