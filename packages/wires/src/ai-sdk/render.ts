import { EMPTY_MEMORY, type Memory } from '@quartermaster/core';
import { isJsonObject, writeTool } from '@quartermaster/core/catalog';
import { type DeferPlan, type Own, type Shown, type Tell, type View, wrapCall } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import { modelName } from '../internal/shown-tools.ts';
import {
  type AssistantPart,
  type CallPart,
  latestTextIndex,
  type ModelMessage,
  type ModelRequest,
  type ResultPart,
  type ToolMessage,
} from './language-model-v4-shapes-2026-11.ts';
import { type History, type HistoryItem, type HistorySearch, isRealCall, readHistory, rememberItem } from './recall.ts';
import { isResultPart, plainCall, readCallPart } from './search-parts.ts';

/** The plain request for the model. */
export function renderRequest(request: ModelRequest, view: View, tell: Tell): ModelRequest {
  const { plan, tail } = view;
  if (plan.kind === 'inline') {
    const prompt = stripPrompt(request.prompt);
    return prompt === request.prompt ? request : { ...request, prompt };
  }
  const toolChoice = renderToolChoice(request, plan);
  return {
    ...request,
    prompt: withNote(withTail(renderPrompt(request.prompt, plan, tell), tail), plan.note),
    tools: renderTools(request, { ...view, plan }),
    ...defined({ toolChoice }),
  };
}

/** At the end of the last leading system message: many models support no more of these than they are given. */
function withNote(prompt: ModelMessage[], note: string | undefined): ModelMessage[] {
  if (note === undefined) return prompt;
  const count = prompt.findIndex(({ role }) => role !== 'system');
  const last = (count < 0 ? prompt.length : count) - 1;
  if (last < 0) return [{ role: 'system', content: note }, ...prompt];
  return prompt.map((message, index) =>
    index === last && message.role === 'system' ? { ...message, content: `${message.content}\n\n${note}` } : message,
  );
}

function withTail(prompt: ModelMessage[], tail: string | undefined): ModelMessage[] {
  if (tail === undefined) return prompt;
  const latest = latestTextIndex(prompt);
  return prompt.map((message, index) =>
    index === latest && message.role === 'user'
      ? { ...message, content: [...message.content, { type: 'text', text: tail }] }
      : message,
  );
}

type ModelTool = NonNullable<ModelRequest['tools']>[number];

/** Our tools, those that the plan shows, those that the conversation has revealed, and the one that the request forces. */
export function renderTools(request: ModelRequest, view: View & { readonly plan: DeferPlan }): ModelTool[] {
  const { plan } = view;
  const fixed = fixedTools(plan);
  const revealed = plan.form.reveal === 'append' ? view.revealed : [];
  const forced = forcedTool(request, plan);
  if (forced === undefined || revealed.some(({ name }) => name === forced.name))
    return [...fixed, ...revealed.map(define)];
  // A forced stub is shown in full: the model can't search for its parameters first.
  return [...fixed.filter(({ name }) => name !== forced.name), ...revealed.map(define), define(forced)];
}

/** The choice with the name that the model knows. */
export function renderToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest['toolChoice'] {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool') return toolChoice;
  const toolName = modelName(plan.snapshot, toolChoice.toolName);
  return toolName === toolChoice.toolName ? toolChoice : { ...toolChoice, toolName };
}

/** A choice that forced the search has been fulfilled: the next round is free. */
export function relaxToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool' || !plan.own.some(({ name }) => name === toolChoice.toolName)) return request;
  return { ...request, toolChoice: { type: 'auto' } };
}

const fixedByPlan = new WeakMap<DeferPlan, readonly ModelTool[]>();

/** Rendered once per plan: with thousands of tools, this must not be repeated for every request. */
function fixedTools(plan: DeferPlan): readonly ModelTool[] {
  let fixed = fixedByPlan.get(plan);
  if (fixed === undefined) {
    fixed = [...plan.own.map(defineOwn), ...plan.shown.map(define)];
    fixedByPlan.set(plan, fixed);
  }
  return fixed;
}

function defineOwn({ name, description, schema }: Own): ModelTool {
  return { type: 'function', name, description, inputSchema: schema as object };
}

/** Without a provider's deferral mark, which would be rejected if no provider search is declared. */
function define(shown: Shown): ModelTool {
  const { tool, name, as } = shown;
  const isProvided = tool.extras.providerType !== undefined;
  const options = isProvided ? { shown } : { name, deferred: false, shown };
  const written = writeTool(tool, 'ai-sdk', options) as unknown as ModelTool;
  if (as !== 'stub' || written.type !== 'function') return written;
  // Text about parameters that are not shown is removed with them.
  const { strict: _, inputExamples: __, ...rest } = written;
  return rest;
}

/** A deferred tool that the model is told to call must be declared, found or not. */
function forcedTool(request: ModelRequest, plan: DeferPlan): Shown | undefined {
  const { toolChoice } = request;
  const name = toolChoice?.type === 'tool' ? modelName(plan.snapshot, toolChoice.toolName) : undefined;
  const tool = name !== undefined && plan.deferred.has(name) ? plan.snapshot.resolve(name) : undefined;
  if (name === undefined || tool === undefined) return undefined;
  return { tool, name, as: 'full', description: tool.description, schema: tool.schema };
}

interface Rendering {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  readonly history: History;
  readonly messages: ModelMessage[];
  memory: Memory;
  /** Our results that wait for those of real calls in the same round. */
  waiting: readonly ResultPart[];
}

/** The prompt as the model reads it: our rounds as ordinary calls and results, deferred tools called in the plan's form. */
function renderPrompt(prompt: readonly ModelMessage[], plan: DeferPlan, tell: Tell): ModelMessage[] {
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

/** A prompt without our parts, for a model that is called without tool search. The same prompt if there are none. */
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

/** Drops results without a call; the others get the name of their call, and are sorted with ours in the order of the calls. */
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

/** A call to one of our tools as the model wrote it. Undefined if the plan lacks the tool: a call to an undeclared one would be rejected. */
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

/** A real call with the name that the model knows, wrapped if the form wraps. Undefined if it stays as it is. */
function wrapped(call: CallPart, plan: DeferPlan): { readonly name: string; readonly input: unknown } | undefined {
  const name = modelName(plan.snapshot, call.toolName);
  const called = wrapCall(plan, { name, arguments: call.input });
  return called.name === call.toolName ? undefined : { name: called.name, input: called.arguments };
}
