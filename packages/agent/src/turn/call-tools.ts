import type { Memory, Toolbox } from '@quartermaster/core';
import type { DeferPlan } from '@quartermaster/core/disclosure';
import type { Answered, Caller } from '@quartermaster/core/dispatch';
import { untilAborted } from '@quartermaster/core/internal';
import type { SDKContentBlock, SDKUserBlock } from '../sdk-message.ts';
import { isReadable } from './readable-input.ts';
import { type ContentLimits, resultContent } from './result-content.ts';

export type ToolUse = Extract<SDKContentBlock, { readonly type: 'tool_use' }>;

export interface Calling {
  readonly toolbox: Toolbox;
  readonly plan: DeferPlan;
  readonly memory: Memory;
  readonly caller: Caller;
  readonly limits: ContentLimits;
  /** How many characters all results of one response may have together. */
  readonly togetherCharacters: number;
  readonly signal: AbortSignal;
}

/** Runs the calls of one response in parallel. Each gets an answer, in the order of the calls; none of them rejects. */
export async function callTools(calls: readonly ToolUse[], calling: Calling): Promise<readonly SDKUserBlock[]> {
  const { toolbox, plan, memory, caller, signal } = calling;
  const share = Math.floor(calling.togetherCharacters / Math.max(1, calls.length));
  const limits = { ...calling.limits, mostCharacters: Math.min(calling.limits.mostCharacters, share) };
  const answers = calls.map(({ id, name, input }): Answered | Promise<Answered> =>
    isReadable(input)
      ? toolbox.answer({ plan, call: { id, name, arguments: input }, memory, caller, signal })
      : { text: 'The arguments are not a JSON object. Nothing was called.', isError: true, memory, outcomes: [] },
  );
  const answered = await untilAborted(Promise.all(answers), signal);
  return answered.map((answer, index) => toBlock(calls[index]?.id ?? '', answer, limits));
}

function toBlock(id: string, answer: Answered, limits: ContentLimits): SDKUserBlock {
  const [only] = answer.outcomes;
  const outcome = only !== undefined && answer.outcomes.length === 1 ? only : answer;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: resultContent(outcome, limits),
    ...(answer.isError ? { is_error: true } : {}),
  };
}
