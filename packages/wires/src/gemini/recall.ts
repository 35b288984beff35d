import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Fact, remember } from '@quartermaster/core/disclosure';
import { rememberFound } from '@quartermaster/core/dispatch';
import { type Spoken, splitRounds } from '@quartermaster/core/internal';
import type { SearchAnswer } from '../internal/search-answer.ts';
import { modelName } from '../internal/shown-tools.ts';
import {
  contentsOf,
  type GeminiContent,
  type GeminiFunctionResponse,
  type GeminiPart,
  type GeminiRequest,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { readAnswerPart, readCallPart, type SearchCall } from './search-parts.ts';

/** What the contents have revealed: our searches if the client keeps them, and every call of a real tool. */
export function recallRequest(request: GeminiRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const history = readHistory(contentsOf(request));
  return history.items.reduce((memory, item) => rememberItem(memory, item, { history, plan }), EMPTY_MEMORY);
}

/** The memory after one item of the history. */
export function rememberItem(
  memory: Memory,
  item: HistoryItem,
  context: { readonly history: History; readonly plan: DeferPlan },
): Memory {
  if (item.kind === 'content') {
    const isAnswer = partsOf(item.content).every((part) => part.functionResponse !== undefined);
    return isAnswer ? memory : remember(memory, { kind: 'asked' });
  }
  return item.parts.reduce((known, part) => {
    const answer = context.history.searches.get(part)?.answer;
    if (answer !== undefined) return answer.kind === 'found' ? rememberFound(known, answer.found) : known;
    const fact = calledFact(part, context.plan);
    return fact === undefined ? known : remember(known, fact);
  }, memory);
}

function calledFact(part: GeminiPart, plan: DeferPlan): Fact | undefined {
  const name = part.functionCall?.name;
  if (name === undefined || plan.own.some((own) => own.name === name)) return undefined;
  return { kind: 'called', name: modelName(plan.snapshot, name) };
}

/**
 * A history in which calls and responses are paired. Compaction, forks and other clients leave calls without responses and responses
 * without calls: these are not rendered.
 */
export interface History {
  readonly items: readonly HistoryItem[];
  /** Our calls that have an answer, by the part of the call. */
  readonly searches: ReadonlyMap<GeminiPart, HistorySearch>;
  /** The call of each response, if it has one. */
  readonly callOf: ReadonlyMap<GeminiPart, GeminiPart>;
  /** The position of each of the model's parts. */
  readonly rank: ReadonlyMap<GeminiPart, number>;
}

export type HistoryItem =
  /** Contents of the user, and any others that are not the model's. */
  | { readonly kind: 'content'; readonly content: GeminiContent }
  /** What the model wrote between two answers, limited to paired parts. A model turn has one or several of these. */
  | { readonly kind: 'round'; readonly contents: readonly GeminiContent[]; readonly parts: readonly GeminiPart[] };

export interface HistorySearch {
  readonly call: SearchCall;
  readonly answer: SearchAnswer;
}

export function readHistory(contents: readonly GeminiContent[]): History {
  const callOf = pairCalls(contents);
  const { searches, answers } = pairSearches(contents);
  const answered = new Set(callOf.values());
  const isKept = (part: GeminiPart): boolean => {
    if (isJsonObject(part.functionCall)) return answered.has(part);
    return readCallPart(part) === undefined || searches.has(part);
  };
  const items: HistoryItem[] = [];
  const rules = { isAnswer: (part: GeminiPart) => readAnswerPart(part) !== undefined, answers, answered, isKept };
  let turn: Spoken<GeminiContent, GeminiPart>[] = [];
  const endTurn = (): void => {
    items.push(...splitRounds(turn, rules).map(toItem));
    turn = [];
  };
  for (const content of contents) {
    if (content.role === 'model') {
      turn.push({ message: content, parts: partsOf(content) });
      continue;
    }
    endTurn();
    items.push({ kind: 'content', content });
  }
  endTurn();
  const spoken = items.flatMap((item) => (item.kind === 'round' ? item.parts : []));
  return { items, searches, callOf, rank: new Map(spoken.map((part, index) => [part, index])) };
}

function toItem(round: readonly Spoken<GeminiContent, GeminiPart>[]): HistoryItem {
  return {
    kind: 'round',
    contents: round.map(({ message, parts }) => ({ ...message, parts })),
    parts: round.flatMap(({ parts }) => parts),
  };
}

/** An answer belongs to an earlier call in the same turn or, after a pause, in an earlier one. */
function pairSearches(contents: readonly GeminiContent[]): {
  readonly searches: ReadonlyMap<GeminiPart, HistorySearch>;
  readonly answers: ReadonlySet<GeminiPart>;
} {
  const searches = new Map<GeminiPart, HistorySearch>();
  const answers = new Set<GeminiPart>();
  const open = new Map<string, { readonly part: GeminiPart; readonly call: SearchCall }>();
  for (const part of contents.flatMap((content) => (content.role === 'model' ? partsOf(content) : []))) {
    const call = readCallPart(part);
    if (call !== undefined) open.set(call.id, { part, call });
    const answer = readAnswerPart(part);
    const asked = answer === undefined ? undefined : open.get(answer.id);
    if (answer === undefined || asked === undefined) continue;
    open.delete(answer.id);
    searches.set(asked.part, { call: asked.call, answer: answer.answer });
    answers.add(part);
  }
  return { searches, answers };
}

/**
 * Pairs the calls of one turn with the responses right after it: by id if both have one, else by name and order, because Gemini
 * often gives no ids, and upstreams that do reuse them.
 */
function pairCalls(contents: readonly GeminiContent[]): ReadonlyMap<GeminiPart, GeminiPart> {
  const callOf = new Map<GeminiPart, GeminiPart>();
  let open: GeminiPart[] = [];
  let isAnswering = false;
  for (const content of contents) {
    if (content.role === 'model') {
      if (isAnswering) open = [];
      isAnswering = false;
      open.push(...partsOf(content).filter((part) => isJsonObject(part.functionCall)));
      continue;
    }
    isAnswering = true;
    for (const part of partsOf(content)) {
      const call = part.functionResponse === undefined ? undefined : findCall(open, part.functionResponse);
      if (call === undefined) continue;
      open = open.filter((other) => other !== call);
      callOf.set(part, call);
    }
  }
  return callOf;
}

function findCall(open: readonly GeminiPart[], response: GeminiFunctionResponse): GeminiPart | undefined {
  const { id, name } = response;
  const byId = id === undefined ? undefined : open.find((part) => part.functionCall?.id === id);
  if (byId !== undefined) return byId;
  return open.find(({ functionCall }) => {
    if (id !== undefined && functionCall?.id !== undefined) return false;
    return name === undefined || functionCall?.name === name;
  });
}
