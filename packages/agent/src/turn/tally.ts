import type { ResolvedModel } from '../model/index.ts';
import type { ModelUsage, SDKResultError, SDKResultMessage, Usage } from '../sdk-message.ts';
import { addUsage, NO_USAGE, readUsage } from '../usage.ts';
import type { TurnContext } from './turn-context.ts';

/** Counts what a turn takes, and tells it at the end. */
export interface Tally {
  readonly turns: number;
  /** Counts a response of the model; a summary is no turn. */
  count(usage: unknown, model: ResolvedModel, took: { readonly ms: number; readonly isTurn: boolean }): void;
  success(result: string, stopReason: string | null): SDKResultMessage;
  failure(subtype: SDKResultError['subtype'], errors: readonly string[]): SDKResultMessage;
}

export function createTally(context: TurnContext): Tally {
  const startedMs = context.now();
  const byModel = new Map<string, { readonly usage: Usage; readonly window: number }>();
  let turns = 0;
  let apiMs = 0;
  const base = () => {
    const usages = [...byModel].map(([model, { usage, window }]) => ({
      model,
      usage,
      window,
      cost: context.costOf(usage, model),
    }));
    return {
      type: 'result' as const,
      uuid: context.createId(),
      session_id: context.conversation.id,
      duration_ms: context.now() - startedMs,
      duration_api_ms: apiMs,
      num_turns: turns,
      total_cost_usd: usages.reduce((sum, { cost }) => sum + cost, 0),
      usage: usages.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
      modelUsage: Object.fromEntries(usages.map((one) => [one.model, toModelUsage(one)])),
      permission_denials: context.guard.takeDenials(),
    };
  };
  return {
    get turns() {
      return turns;
    },
    count(usage, { model, limits }, { ms, isTurn }) {
      const before = byModel.get(model)?.usage ?? NO_USAGE;
      byModel.set(model, { usage: addUsage(before, readUsage(usage)), window: limits.contextTokens });
      apiMs += ms;
      if (isTurn) turns += 1;
    },
    success: (result, stopReason) => ({
      ...base(),
      subtype: 'success',
      is_error: false,
      result,
      stop_reason: stopReason,
    }),
    failure: (subtype, errors) => ({ ...base(), subtype, is_error: true, errors }),
  };
}

function toModelUsage(one: { readonly usage: Usage; readonly window: number; readonly cost: number }): ModelUsage {
  const { usage, window, cost } = one;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    costUSD: cost,
    contextWindow: window,
  };
}
