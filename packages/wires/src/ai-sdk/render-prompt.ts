import { EMPTY_MEMORY, type Memory } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Tell, wrapCall } from '@quartermaster/core/disclosure';
import { modelName } from '../internal/client-names.ts';
import type {
  AssistantPart,
  CallPart,
  ModelMessage,
  ResultPart,
  ToolMessage,
} from './language-model-v4-shapes-2026-11.ts';
import { type History, type HistoryItem, type HistorySearch, isRealCall, readHistory } from './read-history.ts';
import { rememberItem } from './recall.ts';
import { isResultPart, plainCall, readCallPart } from './search-parts.ts';

interface Rendering {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  readonly history: History;
  readonly messages: ModelMessage[];
  memory: Memory;
  /** Results of ours that wait for those of real calls of the same round. */
  waiting: readonly ResultPart[];
}

/** The prompt as the model reads it: our rounds as ordinary calls and results, deferred tools called the way the form calls them. */
export function renderPrompt(prompt: readonly ModelMessage[], plan: DeferPlan, tell: Tell): ModelMessage[] {
  const history = readHistory(prompt);
  const rendering: Rendering = { plan, tell, history, messages: [], memory: EMPTY_MEMORY, waiting: [] };
  for (const item of history.items) {
    const before = rendering.memory;
    rendering.memory = rememberItem(before, item, rendering);
    if (item.kind === 'round') renderRound(rendering, item, before);
    else if (item.message.role === 'tool') renderResults(rendering, item.message);
    else rendering.messages.push(item.message);
  }
  return rendering.messages;
}

/** A prompt without our parts, for a model that is asked without us. The same prompt where there are none. */
export function stripPrompt(prompt: ModelMessage[]): ModelMessage[] {
  const isOurs = (part: AssistantPart): boolean => isResultPart(part) || readCallPart(part) !== undefined;
  if (!prompt.some((message) => message.role === 'assistant' && message.content.some(isOurs))) return prompt;
  return prompt.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant') return [message];
    const content = message.content.filter((part) => !isOurs(part));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

function renderRound(
  rendering: Rendering,
  round: Extract<HistoryItem, { readonly kind: 'round' }>,
  before: Memory,
): void {
  const { plan, history, messages } = rendering;
  for (const message of round.messages) {
    const content = message.content.flatMap((part) => renderSpoken(part, history, plan));
    if (content.length > 0) messages.push({ ...message, content });
  }
  const results = round.parts.flatMap((part): readonly ResultPart[] => {
    const search = history.searches.get(part);
    return search === undefined ? [] : renderAnswer(search, { plan, before, tell: rendering.tell });
  });
  if (results.length === 0) return;
  if (round.parts.some(isRealCall)) rendering.waiting = results;
  else messages.push({ role: 'tool', content: [...results] });
}

/** Results without a call leave; the others stand under the name of their call, and among ours in the order of the calls. */
function renderResults(rendering: Rendering, message: ToolMessage): void {
  const { history, plan, waiting } = rendering;
  const kept = message.content.filter((part) => part.type !== 'tool-result' || history.callOf.has(part));
  const content = kept.map((part) => {
    const call = part.type === 'tool-result' ? history.callOf.get(part) : undefined;
    const called = call === undefined ? undefined : wrapped(call, plan);
    return part.type !== 'tool-result' || called === undefined ? part : { ...part, toolName: called.name };
  });
  rendering.waiting = [];
  if (waiting.length + content.length === 0) return;
  const all = waiting.length === 0 ? content : inCallOrder([...waiting, ...content], rendering.messages);
  rendering.messages.push({ ...message, content: all });
}

function inCallOrder(
  parts: readonly ToolMessage['content'][number][],
  messages: readonly ModelMessage[],
): ToolMessage['content'] {
  const round = messages.slice(messages.findLastIndex(({ role }) => role !== 'assistant') + 1);
  const calls = round.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
      : [],
  );
  const placeOf = (part: ToolMessage['content'][number]): number =>
    part.type === 'tool-result' ? calls.indexOf(part.toolCallId) : calls.length;
  return parts.toSorted((left, right) => placeOf(left) - placeOf(right));
}

function renderSpoken(part: AssistantPart, history: History, plan: DeferPlan): readonly AssistantPart[] {
  const search = history.searches.get(part);
  if (search !== undefined) {
    const called = calledAs(search, plan);
    return called === undefined ? [] : [plainCall(search.part, called)];
  }
  if (!isRealCall(part)) return [part];
  const called = wrapped(part, plan);
  return called === undefined ? [part] : [{ ...part, toolName: called.name, input: called.input }];
}

function renderAnswer(
  search: HistorySearch,
  context: { readonly plan: DeferPlan; readonly before: Memory; readonly tell: Tell },
): readonly ResultPart[] {
  const called = calledAs(search, context.plan);
  if (called === undefined) return [];
  const { answer, call } = search;
  const value = answer.kind === 'found' ? context.tell(answer.found, context.before) : answer.text;
  const isError = answer.kind === 'refused' || answer.found.kind === 'failure';
  const output: ResultPart['output'] = { type: isError ? 'error-text' : 'text', value };
  return [{ type: 'tool-result', toolCallId: call.id, toolName: called.name, output }];
}

/** A call of ours as the model wrote it. Nothing where the plan has no such tool: a call to an undeclared one would be refused. */
function calledAs(
  search: HistorySearch,
  plan: DeferPlan,
): { readonly name: string; readonly input: unknown } | undefined {
  const { role, input } = search.call;
  if (role === 'function') {
    if (typeof input.name !== 'string') return undefined;
    const called = wrapCall(plan, {
      name: input.name,
      arguments: isJsonObject(input.arguments) ? input.arguments : {},
    });
    return { name: called.name, input: called.arguments };
  }
  const own = plan.own.find((one) => one.role === role);
  return own === undefined ? undefined : { name: own.name, input };
}

/** A real call under the name that the model knows, wrapped where the form wraps. Nothing when it stays as it is. */
function wrapped(call: CallPart, plan: DeferPlan): { readonly name: string; readonly input: unknown } | undefined {
  const name = modelName(plan.snapshot, call.toolName);
  const called = wrapCall(plan, { name, arguments: call.input });
  return called.name === call.toolName ? undefined : { name: called.name, input: called.arguments };
}
