import { EMPTY_MEMORY } from '@quartermaster/core';
import { type DeferPlan, type Tell, wrapCall } from '@quartermaster/core/disclosure';
import { ownTool } from '@quartermaster/core/internal';
import {
  type AnsweredCall,
  type AnsweredSearch,
  type ModelCall,
  readTurns,
  rememberItem,
  type TurnParts,
} from './answered-turns.ts';
import { modelName } from './shown-tools.ts';

/** How a protocol writes answered calls as ordinary ones, for a host that does not know them. */
export interface PlainParts<Message, Part> extends TurnParts<Message, Part> {
  /** Our call as an ordinary one. */
  plainCall(part: Part, call: AnsweredCall, called: ModelCall): Part;
  /** The answer to it. */
  plainAnswer(search: AnsweredSearch, called: ModelCall, text: string): Part;
  /** A message of our answers alone. */
  answers(parts: readonly Part[]): Message;
  /** A call of the client's under another name, or wrapped: with other arguments too. */
  renamedCall(part: Part, called: { readonly name: string; readonly arguments?: unknown }): Part;
  /** The messages between two rounds: results without a call are dropped, and `waiting`, answers of ours, join the others. */
  between(
    messages: readonly Message[],
    waiting: readonly RankedPart<Part>[],
    find: FindResult<Part>,
  ): readonly Message[];
}

/** An answer, and the place of its call. */
export interface RankedPart<Part> {
  readonly part: Part;
  readonly rank: number;
}

/** The place of a result's call, and its name if the model knows it by another one. Undefined for a result without a call. */
export type FindResult<Part> = (
  result: Part,
) => { readonly rank: number; readonly name: string | undefined } | undefined;

/** The history as the model reads it: our rounds as ordinary calls and results, deferred tools called in the plan's form. */
export function renderTurns<Message, Part>(
  messages: readonly Message[],
  { plan, tell }: { readonly plan: DeferPlan; readonly tell: Tell },
  parts: PlainParts<Message, Part>,
): Message[] {
  const turns = readTurns(messages, parts);
  const { searches, callOf } = turns;
  const rankOf = (part: Part): number => turns.rank.get(part) ?? 0;
  const findResult: FindResult<Part> = (result) => {
    const call = callOf.get(result);
    return call === undefined ? undefined : { rank: rankOf(call), name: renamed(parts.clientCall(call), plan)?.name };
  };
  const renderSpoken = (part: Part): readonly Part[] => {
    const search = searches.get(part);
    if (search !== undefined) {
      const called = calledAs(search.call, plan);
      return called === undefined ? [] : [parts.plainCall(part, search.call, called)];
    }
    const called = renamed(parts.clientCall(part), plan);
    return [called === undefined ? part : parts.renamedCall(part, called)];
  };

  const rendered: Message[] = [];
  let memory = EMPTY_MEMORY;
  let answering: Message[] = [];
  /** Our answers that wait for the client's results of the same round. */
  let waiting: readonly RankedPart<Part>[] = [];
  const endAnswering = (): void => {
    const hasResults = answering.some((message) => parts.resultsIn(message) !== undefined);
    rendered.push(...parts.between(answering, hasResults ? waiting : [], findResult));
    answering = [];
    if (hasResults) waiting = [];
  };
  for (const item of turns.items) {
    const before = memory;
    memory = rememberItem(memory, item, { turns, plan, parts });
    if (item.kind === 'message') {
      answering.push(item.message);
      continue;
    }
    endAnswering();
    for (const message of item.messages) {
      const said = parts.partsOf(message).flatMap(renderSpoken);
      if (said.length > 0) rendered.push(parts.withParts(message, said));
    }
    const answers = item.parts.flatMap((part): readonly RankedPart<Part>[] => {
      const search = searches.get(part);
      const called = search === undefined ? undefined : calledAs(search.call, plan);
      if (search === undefined || called === undefined) return [];
      const { answer } = search;
      const text = answer.kind === 'found' ? tell(answer.found, before) : answer.text;
      return [{ part: parts.plainAnswer(search, called, text), rank: rankOf(part) }];
    });
    if (item.parts.some((part) => parts.clientCall(part) !== undefined)) waiting = [...waiting, ...answers];
    else if (answers.length > 0) rendered.push(parts.answers(answers.map(({ part }) => part)));
  }
  endAnswering();
  return rendered;
}

/** A history without our parts, for a host that is called without tool search. The same list if there are none. */
export function stripTurns<Message, Part>(
  messages: readonly Message[],
  { isModels, isOurs, partsOf, withParts }: TurnParts<Message, Part>,
): readonly Message[] {
  if (!messages.some((message) => isModels(message) && partsOf(message).some(isOurs))) return messages;
  return messages.flatMap((message) => {
    if (!isModels(message)) return [message];
    const kept = partsOf(message).filter((part) => !isOurs(part));
    return kept.length === 0 ? [] : [withParts(message, kept)];
  });
}

/** A call to one of our tools as the model wrote it. Undefined if the plan lacks the tool: a call to an undeclared one would be rejected. */
function calledAs({ role, name, input }: AnsweredCall, plan: DeferPlan): ModelCall | undefined {
  if (role === undefined) return wrapCall(plan, { name, arguments: input });
  const own = ownTool(plan, role);
  return own === undefined ? undefined : { name: own.name, arguments: input };
}

/** A call of the client's as the model knows it, wrapped if the form wraps. Undefined if it stays as it is. */
function renamed(
  call: ModelCall | undefined,
  plan: DeferPlan,
): { readonly name: string; readonly arguments?: unknown } | undefined {
  if (call === undefined) return undefined;
  const name = modelName(plan.snapshot, call.name);
  const called = wrapCall(plan, { ...call, name });
  if (called.name === call.name) return undefined;
  return called.name === name ? { name } : called;
}
