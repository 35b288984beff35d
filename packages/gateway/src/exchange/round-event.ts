import type { Plan } from '@quartermaster/core';
import { type DeferPlan, type Memory, measureReach, type View } from '@quartermaster/core/disclosure';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import { matchLine } from '@quartermaster/core/internal';
import type { LoopRound } from '@quartermaster/core/loop';
import type { GatewayEvent } from '../events/index.ts';

/** What a call to the model costs because of tool search, as an event. */
export function roundEvent(
  { round: number, request, memory, view }: LoopRound<object>,
  {
    requestId,
    plan,
    roundsBefore = 0,
  }: { readonly requestId: string; readonly plan: Plan; readonly roundsBefore?: number | undefined },
): GatewayEvent {
  const round = number + roundsBefore;
  const head = { kind: 'model-round-start', requestId, round } as const;
  if (plan.kind === 'inline') return { ...head, tokens: 0, revealed: 0, carried: 0, offered: 0 };
  const declared = plan.form.reveal === 'answer' ? NONE : declaredTokens(plan, view, memory);
  if (round > 1) {
    const tokens = tokensWithoutTools(request) - noteTokens(plan);
    return { ...head, tokens, revealed: declared.known + declared.offered, carried: 0, offered: 0 };
  }
  return {
    ...head,
    tokens: 0,
    revealed: 0,
    carried: searchTokens(memory) + (plan.form.reveal === 'answer' ? answerTokens(plan, memory) : declared.known),
    offered: declared.offered + (view.tail === undefined ? 0 : estimateTokens(view.tail)),
    earlier: measureReach([memory]),
  };
}

const NONE = { known: 0, offered: 0 };

/** Definitions that are sent beside the messages: those that the conversation knows, and those that are offered before it has searched. */
function declaredTokens({ snapshot }: DeferPlan, { revealed }: View, memory: Memory): typeof NONE {
  if (revealed.length === 0) return NONE;
  const { byTool } = snapshotTokens(snapshot);
  const known = new Set(memory.known);
  const tokens = { known: 0, offered: 0 };
  for (const { tool, name } of revealed) tokens[known.has(name) ? 'known' : 'offered'] += byTool.get(tool) ?? 0;
  return tokens;
}

/** The earlier searches themselves, without what they found. */
function searchTokens({ searches }: Memory): number {
  let tokens = 0;
  for (const { query } of searches) tokens += SEARCH_TOKENS + estimateTokens(query);
  return tokens;
}

/** The call of a search and the frame of its answer, as JSON: types, names and ids. */
const SEARCH_TOKENS = 50;

/**
 * What earlier answers added to this conversation. Where the model can have tools described, an answer has a line for each, and those
 * that were called were described.
 */
function answerTokens({ snapshot, own }: DeferPlan, { revealed, called }: Memory): number {
  if (revealed.length === 0) return 0;
  const { byTool } = snapshotTokens(snapshot);
  const isLine = own.some(({ role }) => role === 'describe');
  const described = new Set(called);
  let tokens = 0;
  for (const name of revealed) {
    const tool = snapshot.resolve(name);
    if (tool === undefined) continue;
    tokens += isLine && !described.has(name) ? estimateTokens(matchLine({ tool, name })) : (byTool.get(tool) ?? 0);
  }
  return tokens;
}

/** Counted with what is declared, although it is in the system prompt. */
function noteTokens({ note }: DeferPlan): number {
  return note === undefined ? 0 : estimateTokens(note);
}

/** Only rounds after the first are measured. From lengths that are known anyway: serializing a conversation takes time. */
function tokensWithoutTools(request: object): number {
  const { tools: _, ...rest } = request as { readonly [field: string]: unknown };
  return estimateTokens({ length: jsonLength(rest) });
}

/** About how long the value is as JSON: what escaping adds is not counted. Not recursive: it may nest as deep as its host takes. */
function jsonLength(value: unknown): number {
  const open: unknown[] = [value];
  let length = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length + QUOTES;
    else if (typeof next !== 'object' || next === null) length += SCALAR;
    else if (Array.isArray(next)) {
      length += BRACKETS + next.length * COMMA;
      for (const item of next) open.push(item);
    } else {
      length += BRACKETS;
      for (const [key, item] of Object.entries(next)) {
        length += key.length + QUOTES + COLON + COMMA;
        open.push(item);
      }
    }
  }
  return length;
}

const [QUOTES, BRACKETS, COMMA, COLON] = [2, 2, 1, 1];
/** The usual length of a number, a boolean or null. */
const SCALAR = 4;
