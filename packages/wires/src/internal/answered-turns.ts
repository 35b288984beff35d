import { type Call, EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Own, remember } from '@quartermaster/core/disclosure';
import { rememberFound } from '@quartermaster/core/dispatch';
import { ownNamed, type Spoken, splitRounds } from '@quartermaster/core/internal';
import type { SearchAnswer } from './search-answer.ts';
import { modelName } from './shown-tools.ts';

/** A call that was answered within the response. */
export interface AnsweredCall {
  readonly id: string;
  /** The role of the called tool; undefined for a real one, refused before the client saw the call. */
  readonly role: Own['role'] | undefined;
  /** The name that the model wrote. */
  readonly name: string;
  readonly input: JsonObject;
}

/** One of the model's calls as answered here, under the client's id. */
export function answeredCall(call: Call, plan: Plan, id: string): AnsweredCall {
  const input = isJsonObject(call.arguments) ? call.arguments : {};
  return { id, role: ownNamed(plan, call.name)?.role, name: call.name, input };
}

/** What a history shows as the input of a call: for a real tool, that of the wrapper around it. */
export function shownInput({ role, name, input }: AnsweredCall): JsonObject {
  return role === undefined ? { name, arguments: input } : input;
}

/** The reverse of `shownInput`. Undefined if it names no tool. */
export function readShownCall(
  role: Own['role'] | undefined,
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: unknown },
): AnsweredCall | undefined {
  const given = isJsonObject(input) ? input : {};
  if (role !== undefined) return { id, role, name, input: given };
  if (typeof given.name !== 'string') return undefined;
  return { id, role, name: given.name, input: isJsonObject(given.arguments) ? given.arguments : {} };
}

/** A call as a message has it. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** How a protocol whose messages can show calls answered within a response writes them: as parts among the model's own. */
export interface TurnParts<Message, Part> {
  isModels(message: Message): boolean;
  partsOf(message: Message): readonly Part[];
  withParts(message: Message, parts: readonly Part[]): Message;
  /** Whether the user says something in it, besides results. */
  isQuestion(message: Message): boolean;
  /** The parts of a message that may contain results of the client's calls; undefined for any other. */
  resultsIn(message: Message): readonly Part[] | undefined;
  /** Removes and returns the open call that a result answers. */
  takeCall(open: Part[], result: Part): Part | undefined;
  /** A call that the client answers; undefined for any other part. */
  clientCall(part: Part): ModelCall | undefined;
  /** Whether a part is half of a call that was answered within the response. */
  isOurs(part: Part): boolean;
  readCall(part: Part): AnsweredCall | undefined;
  readAnswer(part: Part): { readonly id: string; readonly answer: SearchAnswer } | undefined;
}

/**
 * A history in which calls and results are paired. Compaction, forks and other clients leave calls without results and results
 * without calls: these are not rendered.
 */
export interface Turns<Message, Part> {
  readonly items: readonly TurnItem<Message, Part>[];
  /** Our calls that have an answer, by the part of the call. */
  readonly searches: ReadonlyMap<Part, AnsweredSearch>;
  /** The call of each result, if it has one. */
  readonly callOf: ReadonlyMap<Part, Part>;
  /** The position of each of the model's parts. */
  readonly rank: ReadonlyMap<Part, number>;
}

type TurnItem<Message, Part> =
  /** Any message that is not the model's. */
  | { readonly kind: 'message'; readonly message: Message }
  /** What the model wrote between two answers, limited to paired parts. A model turn has one or several of these. */
  | { readonly kind: 'round'; readonly messages: readonly Message[]; readonly parts: readonly Part[] };

export interface AnsweredSearch {
  readonly call: AnsweredCall;
  readonly answer: SearchAnswer;
}

/** What the messages have revealed: by our searches, and by every call of a real tool. */
export function recallTurns<Message, Part>(
  messages: readonly Message[],
  plan: Plan,
  parts: TurnParts<Message, Part>,
): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const turns = readTurns(messages, parts);
  return turns.items.reduce((memory, item) => rememberItem(memory, item, { turns, plan, parts }), EMPTY_MEMORY);
}

/** The memory after one item of the history. */
export function rememberItem<Message, Part>(
  memory: Memory,
  item: TurnItem<Message, Part>,
  context: {
    readonly turns: Turns<Message, Part>;
    readonly plan: DeferPlan;
    readonly parts: TurnParts<Message, Part>;
  },
): Memory {
  const { turns, plan, parts } = context;
  if (item.kind === 'message') return parts.isQuestion(item.message) ? remember(memory, { kind: 'asked' }) : memory;
  return item.parts.reduce((known, part) => {
    const answer = turns.searches.get(part)?.answer;
    if (answer !== undefined) return answer.kind === 'found' ? rememberFound(known, answer.found) : known;
    const { name } = parts.clientCall(part) ?? {};
    if (name === undefined || name === '' || ownNamed(plan, name) !== undefined) return known;
    return remember(known, { kind: 'called', name: modelName(plan.snapshot, name) });
  }, memory);
}

export function readTurns<Message, Part>(
  messages: readonly Message[],
  parts: TurnParts<Message, Part>,
): Turns<Message, Part> {
  const callOf = pairCalls(messages, parts);
  const { searches, answers } = pairSearches(messages, parts);
  const answered = new Set(callOf.values());
  const rules = {
    isAnswer: (part: Part) => parts.isOurs(part) && parts.readCall(part) === undefined,
    ...{ answers, answered },
    isKept: (part: Part) =>
      parts.isOurs(part) ? searches.has(part) : parts.clientCall(part) === undefined || answered.has(part),
  };
  const items: TurnItem<Message, Part>[] = [];
  let turn: Spoken<Message, Part>[] = [];
  const endTurn = (): void => {
    for (const round of splitRounds(turn, rules)) {
      const spoken = round.map((said) => parts.withParts(said.message, said.parts));
      items.push({ kind: 'round', messages: spoken, parts: round.flatMap((said) => said.parts) });
    }
    turn = [];
  };
  for (const message of messages) {
    if (parts.isModels(message)) {
      turn.push({ message, parts: parts.partsOf(message) });
      continue;
    }
    endTurn();
    items.push({ kind: 'message', message });
  }
  endTurn();
  const spoken = items.flatMap((item) => (item.kind === 'round' ? item.parts : []));
  return { items, searches, callOf, rank: new Map(spoken.map((part, index) => [part, index])) };
}

/** An answer belongs to an earlier call in the same turn or, after a pause, in an earlier one. */
function pairSearches<Message, Part>(
  messages: readonly Message[],
  parts: TurnParts<Message, Part>,
): { readonly searches: ReadonlyMap<Part, AnsweredSearch>; readonly answers: ReadonlySet<Part> } {
  const searches = new Map<Part, AnsweredSearch>();
  const answers = new Set<Part>();
  const open = new Map<string, { readonly part: Part; readonly call: AnsweredCall }>();
  for (const part of messages.flatMap((message) => (parts.isModels(message) ? parts.partsOf(message) : []))) {
    const call = parts.readCall(part);
    if (call !== undefined) open.set(call.id, { part, call });
    const answer = parts.readAnswer(part);
    const asked = answer === undefined ? undefined : open.get(answer.id);
    if (answer === undefined || asked === undefined) continue;
    open.delete(answer.id);
    searches.set(asked.part, { call: asked.call, answer: answer.answer });
    answers.add(part);
  }
  return { searches, answers };
}

/** Calls are paired within a turn of the model and the results right after it, because upstreams reuse ids. */
function pairCalls<Message, Part>(
  messages: readonly Message[],
  parts: TurnParts<Message, Part>,
): ReadonlyMap<Part, Part> {
  const callOf = new Map<Part, Part>();
  let open: Part[] = [];
  let isAnswering = false;
  for (const message of messages) {
    if (parts.isModels(message)) {
      if (isAnswering) open = [];
      isAnswering = false;
      open.push(...parts.partsOf(message).filter((part) => parts.clientCall(part) !== undefined));
      continue;
    }
    const results = parts.resultsIn(message);
    if (results === undefined) continue;
    isAnswering = true;
    for (const result of results) {
      const call = parts.takeCall(open, result);
      if (call !== undefined) callOf.set(result, call);
    }
  }
  return callOf;
}
