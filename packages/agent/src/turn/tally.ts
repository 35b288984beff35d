import { isJsonObject } from '@quartermaster/core/catalog';
import type { ResolvedModel } from '../model/index.ts';
import type { SDKResultError, SDKResultMessage, Usage } from '../sdk-message.ts';
import type { TurnContext } from './turn-context.ts';

/** Counts the usage of a turn, and reports it at the end. */
export interface Tally {
  readonly turns: number;
  /** Counts a response of the model; a summary does not count as a turn. */
  count(usage: unknown, model: ResolvedModel, took: { readonly ms: number; readonly isTurn: boolean }): void;
  success(result: string, stopReason: string | null, structured?: { readonly value: unknown }): SDKResultMessage;
  failure(subtype: SDKResultError['subtype'], errors: readonly string[]): SDKResultMessage;
}

export function createTally(context: TurnContext): Tally {
  const startedMs = context.now();
  let own: Usage = NO_USAGE;
  let turns = 0;
  let apiMs = 0;
  const base = () => ({
    type: 'result' as const,
    uuid: context.createId(),
    session_id: context.conversation.id,
    duration_ms: context.now() - startedMs,
    duration_api_ms: apiMs,
    num_turns: turns,
    total_cost_usd: context.ledger.costUsd(),
    usage: own,
    modelUsage: context.ledger.modelUsage(),
    permission_denials: context.guard.takeDenials(),
  });
  return {
    get turns() {
      return turns;
    },
    count(usage, model, { ms, isTurn }) {
      const counted = readUsage(usage);
      own = addUsage(own, counted);
      context.ledger.count(counted, model);
      apiMs += ms;
      if (isTurn) turns += 1;
    },
    success: (result, stopReason, structured) => ({
      ...base(),
      subtype: 'success',
      is_error: false,
      result,
      stop_reason: stopReason,
      ...(structured === undefined ? {} : { structured_output: structured.value }),
    }),
    failure: (subtype, errors) => ({ ...base(), subtype, is_error: true, errors }),
  };
}

type TokenCount = Exclude<keyof Usage, 'server_tool_use'>;

/** A usage made of the number for each count, and for the searches. */
function usageOf(tokens: (name: TokenCount) => number, searches: number): Usage {
  return {
    input_tokens: tokens('input_tokens'),
    output_tokens: tokens('output_tokens'),
    cache_creation_input_tokens: tokens('cache_creation_input_tokens'),
    cache_read_input_tokens: tokens('cache_read_input_tokens'),
    server_tool_use: { tool_search_requests: searches },
  };
}

export const NO_USAGE: Usage = usageOf(() => 0, 0);

/** The usage that a response reports. Hosts leave fields out, or send null. */
export function readUsage(value: unknown): Usage {
  const usage = isJsonObject(value) ? value : {};
  const ran = isJsonObject(usage.server_tool_use) ? usage.server_tool_use : {};
  return usageOf((name) => count(usage[name]), count(ran.tool_search_requests));
}

export function addUsage(left: Usage, right: Usage): Usage {
  const searches = left.server_tool_use.tool_search_requests + right.server_tool_use.tool_search_requests;
  return usageOf((name) => left[name] + right[name], searches);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
