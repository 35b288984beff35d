import type { ResolvedModel } from '../model/index.ts';
import type { SDKResultError, SDKResultMessage, Usage } from '../sdk-message.ts';
import { addUsage, NO_USAGE, readUsage } from '../usage.ts';
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
