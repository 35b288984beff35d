import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, remember } from '@quartermaster/core/disclosure';
import { rememberFound } from '@quartermaster/core/dispatch';
import { type Spoken, splitRounds } from '@quartermaster/core/internal';
import type { SearchAnswer } from '../internal/search-answer.ts';
import { modelName } from '../internal/shown-tools.ts';
import type {
  AssistantMessage,
  AssistantPart,
  CallPart,
  ModelMessage,
  ModelRequest,
  ResultPart,
} from './language-model-v4-shapes-2026-11.ts';
import { isResultPart, readCallPart, readResultPart, type SearchCall } from './search-parts.ts';

/** What the messages have revealed: by our searches, and by every call of a real tool. */
export function recallRequest(request: ModelRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const history = readHistory(request.prompt);
  return history.items.reduce((memory, item) => rememberItem(memory, item, { history, plan }), EMPTY_MEMORY);
}

/** The memory after one item of the history. */
export function rememberItem(
  memory: Memory,
  item: HistoryItem,
  context: { readonly history: History; readonly plan: DeferPlan },
): Memory {
  if (item.kind === 'message') return item.message.role === 'user' ? remember(memory, { kind: 'asked' }) : memory;
  const { history, plan } = context;
  return item.parts.reduce((known, part) => {
    const answer = history.searches.get(part)?.answer;
    if (answer !== undefined) return answer.kind === 'found' ? rememberFound(known, answer.found) : known;
    if (!isRealCall(part) || plan.own.some((own) => own.name === part.toolName)) return known;
    return remember(known, { kind: 'called', name: modelName(plan.snapshot, part.toolName) });
  }, memory);
}

/**
 * A history in which calls and results are paired. Compaction, forks and pruning leave calls without results and results without
 * calls: these are not rendered.
 */
export interface History {
  readonly items: readonly HistoryItem[];
  /** Our calls that have a result, by the part of the call. */
  readonly searches: ReadonlyMap<AssistantPart, HistorySearch>;
  /** The call of each result in a `tool` message, if it has one. */
  readonly callOf: ReadonlyMap<object, CallPart>;
}

export type HistoryItem =
  | { readonly kind: 'message'; readonly message: ModelMessage }
  /** What the model wrote between two results, limited to paired parts. An assistant's turn has one or several of these. */
  | {
      readonly kind: 'round';
      readonly messages: readonly AssistantMessage[];
      readonly parts: readonly AssistantPart[];
    };

export interface HistorySearch {
  readonly part: CallPart;
  readonly call: SearchCall;
  readonly answer: SearchAnswer;
}

export function readHistory(messages: readonly ModelMessage[]): History {
  const callOf = pairCalls(messages);
  const { searches, results } = pairSearches(messages);
  const answered = new Set<AssistantPart>(callOf.values());
  const isKept = (part: AssistantPart): boolean => {
    if (readCallPart(part) !== undefined) return searches.has(part);
    return !isRealCall(part) || answered.has(part);
  };
  const items: HistoryItem[] = [];
  const rules = { isAnswer: isResultPart, answers: results, answered, isKept };
  let turn: Spoken<AssistantMessage, AssistantPart>[] = [];
  const endTurn = (): void => {
    items.push(...splitRounds(turn, rules).map(toItem));
    turn = [];
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      turn.push({ message, parts: message.content });
      continue;
    }
    endTurn();
    items.push({ kind: 'message', message });
  }
  endTurn();
  return { items, searches, callOf };
}

/** A call that the client executes. */
export function isRealCall(part: AssistantPart): part is CallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

function toItem(round: readonly Spoken<AssistantMessage, AssistantPart>[]): HistoryItem {
  return {
    kind: 'round',
    messages: round.map(({ message, parts }) => ({ ...message, content: [...parts] })),
    parts: round.flatMap(({ parts }) => parts),
  };
}

/** A result belongs to an earlier call in the same message or, after a pause, in an earlier message. */
function pairSearches(messages: readonly ModelMessage[]): {
  readonly searches: ReadonlyMap<AssistantPart, HistorySearch>;
  readonly results: ReadonlySet<AssistantPart>;
} {
  const searches = new Map<AssistantPart, HistorySearch>();
  const results = new Set<AssistantPart>();
  const open = new Map<string, { readonly part: CallPart; readonly call: SearchCall }>();
  for (const part of messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))) {
    const call = readCallPart(part);
    if (call !== undefined && part.type === 'tool-call') open.set(call.id, { part, call });
    const asked = isResultPart(part) ? open.get(part.toolCallId) : undefined;
    if (!isResultPart(part) || asked === undefined) continue;
    open.delete(part.toolCallId);
    searches.set(asked.part, { ...asked, answer: readResultPart(part) });
    results.add(part);
  }
  return { searches, results };
}

/** Ids are matched within an assistant's turn and the results right after it, because upstreams reuse ids. */
function pairCalls(messages: readonly ModelMessage[]): ReadonlyMap<ResultPart, CallPart> {
  const callOf = new Map<ResultPart, CallPart>();
  let open = new Map<string, CallPart>();
  let isAnswering = false;
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (isAnswering) open = new Map();
      isAnswering = false;
      for (const part of message.content) if (isRealCall(part)) open.set(part.toolCallId, part);
    } else if (message.role === 'tool') {
      isAnswering = true;
      for (const part of message.content) {
        const call = part.type === 'tool-result' ? open.get(part.toolCallId) : undefined;
        if (part.type !== 'tool-result' || call === undefined) continue;
        open.delete(call.toolCallId);
        callOf.set(part, call);
      }
    }
  }
  return callOf;
}
