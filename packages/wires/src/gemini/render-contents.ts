import { EMPTY_MEMORY, type Memory } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Tell, wrapCall } from '@quartermaster/core/disclosure';
import { modelName } from '../internal/client-names.ts';
import { type GeminiContent, type GeminiPart, partsOf } from './gemini-shapes-2026-11.ts';
import { type History, type HistoryItem, type HistorySearch, readHistory } from './read-history.ts';
import { rememberItem } from './recall.ts';
import { isSearchPart, MADE_ID_PREFIX } from './search-parts.ts';

interface Rendering {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  readonly history: History;
  readonly contents: GeminiContent[];
  memory: Memory;
  /** Answers of ours that wait for the client's responses to calls of the same round. */
  waiting: readonly Ranked[];
}

/** A response, and where its call stands. */
interface Ranked {
  readonly part: GeminiPart;
  readonly rank: number;
}

/** The history as the model reads it: our rounds as ordinary calls and responses, deferred tools called the way the form calls them. */
export function renderContents(
  contents: readonly GeminiContent[],
  plan: DeferPlan,
  tell: Tell,
): readonly GeminiContent[] {
  const history = readHistory(contents);
  const rendering: Rendering = { plan, tell, history, contents: [], memory: EMPTY_MEMORY, waiting: [] };
  let answering: GeminiContent[] = [];
  for (const item of history.items) {
    const before = rendering.memory;
    rendering.memory = rememberItem(before, item, rendering);
    if (item.kind === 'content') {
      answering.push(item.content);
      continue;
    }
    renderAnswering(rendering, answering);
    answering = [];
    renderRound(rendering, item, before);
  }
  renderAnswering(rendering, answering);
  return rendering.contents;
}

/** A history without our parts, for an upstream that is asked without us. */
export function stripContents(contents: readonly GeminiContent[]): readonly GeminiContent[] {
  if (!contents.some((content) => partsOf(content).some(isSearchPart))) return contents;
  return contents.flatMap((content) => {
    const parts = partsOf(content).filter((part) => !isSearchPart(part));
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
}

function renderRound(
  rendering: Rendering,
  round: Extract<HistoryItem, { readonly kind: 'round' }>,
  before: Memory,
): void {
  const { plan, history, contents } = rendering;
  for (const content of round.contents) {
    const parts = partsOf(content).flatMap((part) => renderSpoken(part, history, plan));
    if (parts.length > 0) contents.push({ ...content, parts });
  }
  const answers = round.parts.flatMap((part): readonly Ranked[] => {
    const search = history.searches.get(part);
    const answer = search === undefined ? undefined : renderAnswer(search, { plan, before, tell: rendering.tell });
    return answer === undefined ? [] : [{ part: answer, rank: history.rank.get(part) ?? 0 }];
  });
  if (answers.length === 0) return;
  const hasReal = round.parts.some((part) => isJsonObject(part.functionCall));
  if (hasReal) rendering.waiting = answers;
  else contents.push({ role: 'user', parts: answers.map(({ part }) => part) });
}

/**
 * What the client sent between two turns of the model's. Responses without a call leave; the others stand under the name and in the
 * order of their calls, ours among them: parallel responses come in any order, and without ids only the order tells two
 * calls of one name apart. Those that can't be put in order where they are move to the first content that has any.
 */
function renderAnswering(rendering: Rendering, answering: readonly GeminiContent[]): void {
  const { history, plan, waiting } = rendering;
  const responses = answering.flatMap((content) =>
    partsOf(content).flatMap((part): readonly Ranked[] => {
      const call = history.callOf.get(part);
      return call === undefined
        ? []
        : [{ part: renderResponse(part, history, plan), rank: history.rank.get(call) ?? 0 }];
    }),
  );
  rendering.waiting = [];
  const ordered = [...waiting, ...responses].sort((left, right) => left.rank - right.rank);
  const isInOrder = waiting.length === 0 && ordered.every((one, index) => one === responses[index]);
  for (const content of answering) {
    const all = partsOf(content);
    const hasResponse = all.some((part) => history.callOf.has(part));
    const moved = isInOrder || !hasResponse ? [] : ordered.splice(0).map(({ part }) => part);
    const stayed = all.flatMap((part): readonly GeminiPart[] => {
      if (part.functionResponse === undefined) return [part];
      const next = isInOrder && history.callOf.has(part) ? ordered.shift() : undefined;
      return next === undefined ? [] : [next.part];
    });
    pushContent(rendering, content, [...moved, ...stayed]);
  }
}

/** Nothing that has parts is left with none; what did not change stays the object that it was. */
function pushContent(rendering: Rendering, content: GeminiContent, parts: readonly GeminiPart[]): void {
  const all = partsOf(content);
  if (parts.length === 0 && all.length > 0) return;
  const isSame = parts.length === all.length && parts.every((part, index) => part === all[index]);
  rendering.contents.push(isSame ? content : { ...content, parts });
}

function renderSpoken(part: GeminiPart, history: History, plan: DeferPlan): readonly GeminiPart[] {
  const search = history.searches.get(part);
  if (search !== undefined) {
    const called = calledAs(search, plan);
    if (called === undefined) return [];
    const { toolCall: _, ...beside } = part;
    return [{ ...beside, functionCall: { ...idOf(search), ...called } }];
  }
  const { functionCall } = part;
  if (!isJsonObject(functionCall)) return [part];
  const called = wrapped(functionCall, plan);
  return called === undefined ? [part] : [{ ...part, functionCall: { ...functionCall, ...called } }];
}

function renderResponse(part: GeminiPart, history: History, plan: DeferPlan): GeminiPart {
  const call = history.callOf.get(part)?.functionCall;
  const called = call === undefined ? undefined : wrapped(call, plan);
  return called === undefined ? part : { ...part, functionResponse: { ...part.functionResponse, name: called.name } };
}

function renderAnswer(
  search: HistorySearch,
  context: { readonly plan: DeferPlan; readonly before: Memory; readonly tell: Tell },
): GeminiPart | undefined {
  const called = calledAs(search, context.plan);
  if (called === undefined) return undefined;
  const { answer } = search;
  const text = answer.kind === 'found' ? context.tell(answer.found, context.before) : answer.text;
  return { functionResponse: { ...idOf(search), name: called.name, response: toResponse(text) } };
}

/** A call of ours as the model wrote it. Nothing where the plan has no such tool: a call to an undeclared one would be refused. */
function calledAs(search: HistorySearch, plan: DeferPlan): { name: string; args: JsonObject } | undefined {
  const { role, name, args } = search.call;
  if (role === undefined) {
    const called = wrapCall(plan, { name, arguments: args });
    return { name: called.name, args: called.arguments as JsonObject };
  }
  const own = plan.own.find((one) => one.role === role);
  return own === undefined ? undefined : { name: own.name, args };
}

/** A real call under the name that the model knows, wrapped where the form wraps. Nothing when it stays as it is. */
function wrapped(
  call: { readonly name?: string; readonly args?: JsonObject },
  plan: DeferPlan,
): { readonly name: string; readonly args?: JsonObject } | undefined {
  if (call.name === undefined) return undefined;
  const name = modelName(plan.snapshot, call.name);
  const called = wrapCall(plan, { name, arguments: call.args ?? {} });
  if (called.name === call.name) return undefined;
  return called.name === name ? { name } : { name: called.name, args: called.arguments as JsonObject };
}

function idOf(search: HistorySearch): { readonly id?: string } {
  const { id } = search.call;
  return id.startsWith(MADE_ID_PREFIX) ? {} : { id };
}

/** A response is an object: our answers are JSON, and a refusal's sentence goes under the key that the API names for output. */
function toResponse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Not JSON: a sentence.
  }
  return { output: text };
}
