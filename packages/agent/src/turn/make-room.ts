import type { DeferPlan } from '@quartermaster/core/disclosure';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { UpstreamError } from '@quartermaster/host/upstream';
import type { AnthropicMessage, AnthropicRequest } from '@quartermaster/wires/anthropic';
import { blockReason, runObservers } from '../hooks/index.ts';
import { blocksOf } from '../message-content.ts';
import { agentWire, type ResolvedModel } from '../model/index.ts';
import type { SDKCompactBoundaryMessage } from '../sdk-message.ts';
import { COMPACTION_DEFAULTS, compact, messageTokens } from '../session/index.ts';
import type { Tally } from './tally.ts';
import type { TurnContext } from './turn-context.ts';

/** One response of a turn. */
export interface Round {
  readonly context: TurnContext;
  readonly tally: Tally;
  readonly model: ResolvedModel;
  readonly signal: AbortSignal;
}

/** Whether a request is so close to the model's window that there may be no room for the response. */
export function isCrowded(tokens: number, { limits }: ResolvedModel): boolean {
  return tokens > limits.contextTokens * COMPACTION_DEFAULTS.atShare;
}

interface RequestTokens {
  readonly system: number;
  /** The declared tools, and the revealed ones. */
  readonly tools: number;
  readonly messages: number;
  readonly total: number;
}

/** About how many tokens a request takes. */
export function requestTokens(request: AnthropicRequest, plan: DeferPlan): RequestTokens {
  const { byTool } = snapshotTokens(plan.snapshot);
  const revealed = agentWire.recall(request, plan).revealed.flatMap((name) => plan.snapshot.resolve(name) ?? []);
  const tools = plan.tokens.after + sum(revealed.map((tool) => byTool.get(tool) ?? 0));
  const system = typeof request.system === 'string' ? estimateTokens(request.system) : 0;
  const messages = sum(request.messages.map(messageTokens));
  return { system, tools, messages, total: system + tools + messages };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Compacts the conversation, and reports it; `tokens` is about what the next request would take. Undefined if nothing can be
 * dropped.
 */
export async function makeRoom(
  { context, model, tally, signal }: Round,
  tokens: number,
): Promise<SDKCompactBoundaryMessage | undefined> {
  const about = { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: null } as const;
  const answers = await runObservers(context.runHooks, { ...context.about(), ...about }, signal);
  if (blockReason(answers) !== undefined) return undefined;
  const startedMs = context.now();
  const compacted = await compact({
    messages: context.conversation.messages,
    contextTokens: model.limits.contextTokens,
    model: model.model,
    ask: model.upstream.whole,
    signal,
  });
  if (compacted === undefined) return undefined;
  tally.count(compacted.usage, model, { ms: context.now() - startedMs, isTurn: false });
  await context.conversation.restart(compacted.messages);
  context.planner.forget();
  return {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: context.createId(),
    session_id: context.conversation.id,
    compact_metadata: { trigger: 'auto', pre_tokens: tokens },
  };
}

/** Whether an upstream says that the request exceeds its window. Every host words it differently. */
export function isTooLong(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || (error.status !== 400 && error.status !== 413)) return false;
  return /too (?:long|large|many tokens)|context (?:length|window)|maximum context|exceeds? the .*(?:tokens|context)/i.test(
    error.message,
  );
}

const MOST_OUTPUT_TOKENS = 8_192;

/** The next request, without tools, which come from the plan. */
export function requestFor(context: TurnContext, { model, limits, upstream }: ResolvedModel): AnthropicRequest {
  const { conversation, system, maxOutputTokens } = context;
  const isCaching = upstream.transport === 'anthropic-messages';
  return {
    model,
    max_tokens: maxOutputTokens ?? Math.max(1, Math.min(MOST_OUTPUT_TOKENS, Math.floor(limits.contextTokens / 4))),
    ...defined({ system }),
    messages: isCaching ? withBreakpoint(conversation.messages) : conversation.messages,
    stream: true,
  };
}

/** Everything up to here is also the start of the next request, and worth caching at the provider. */
function withBreakpoint(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return messages;
  const blocks = blocksOf(last);
  const marked = blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
  return [...messages.slice(0, -1), { ...last, content: marked }];
}
