import { EMPTY_MEMORY, type Memory } from '@quartermaster/core';
import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import { type DeferPlan, type Own, type Shown, type Tell, type View, wrapCall } from '@quartermaster/core/disclosure';
import { defined, tryParseJson } from '@quartermaster/core/internal';
import { modelName } from '../internal/shown-tools.ts';
import {
  contentsOf,
  type GeminiCallingConfig,
  type GeminiContent,
  type GeminiPart,
  type GeminiRequest,
  type GeminiToolConfig,
  latestTextIndex,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { toolEntries } from './open.ts';
import { type History, type HistoryItem, type HistorySearch, readHistory, rememberItem } from './recall.ts';
import { isSearchPart, MADE_ID_PREFIX } from './search-parts.ts';

/** The plain request that is sent upstream. */
export function renderRequest(request: GeminiRequest, view: View, tell: Tell): GeminiRequest {
  const { plan, tail } = view;
  const given = contentsOf(request);
  if (plan.kind === 'inline') {
    const contents = stripContents(given);
    return contents === given ? request : { ...request, contents };
  }
  const toolConfig = renderToolConfig(request, plan);
  return {
    ...request,
    ...(plan.note === undefined ? {} : { systemInstruction: withText(request.systemInstruction ?? {}, plan.note) }),
    contents: withTail(renderContents(given, plan, tell), tail),
    tools: renderTools(request, { ...view, plan }),
    ...defined({ toolConfig }),
  };
}

function withTail(contents: readonly GeminiContent[], tail: string | undefined): readonly GeminiContent[] {
  if (tail === undefined) return contents;
  const latest = latestTextIndex(contents);
  return contents.map((content, index) => (index === latest ? withText(content, tail) : content));
}

/** As a separate part: no existing byte changes. */
function withText(content: GeminiContent, text: string): GeminiContent {
  return { ...content, parts: [...partsOf(content), { text }] };
}

/**
 * The `tools` of a request with new declarations: our tools, those that the plan shows, those that the conversation has revealed, and
 * those that the request forces. They replace the first declarations; built-in tools stay as they are.
 */
export function renderTools(request: GeminiRequest, view: View & { readonly plan: DeferPlan }): readonly JsonObject[] {
  const functionDeclarations = declare(request, view);
  const entries = toolEntries(request);
  const first = entries.findIndex((entry) => Array.isArray(entry.functionDeclarations));
  if (first < 0) return [{ functionDeclarations }, ...entries];
  return entries.flatMap((entry, index) => {
    if (index === first) return [{ ...entry, functionDeclarations }];
    if (!Array.isArray(entry.functionDeclarations)) return [entry];
    const { functionDeclarations: _, ...rest } = entry;
    return Object.keys(rest).length === 0 ? [] : [rest];
  });
}

/** Names in the client's configuration as the model sees them. */
function renderToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiToolConfig | undefined {
  const { toolConfig } = request;
  const config = callingConfig(request);
  const names = allowedNames(config);
  const shown = names.map((name) => modelName(plan.snapshot, name));
  if (config === undefined || shown.every((name, index) => name === names[index])) return toolConfig;
  return { ...toolConfig, functionCallingConfig: { ...config, allowedFunctionNames: shown } };
}

/** A configuration that forced only our tools has been fulfilled: the next round is free. */
export function relaxToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiRequest {
  const config = callingConfig(request);
  const names = allowedNames(config);
  const isForced = names.length > 0 && names.every((name) => plan.own.some((own) => own.name === name));
  if (config === undefined || !isForced) return request;
  const { allowedFunctionNames: _, ...rest } = config;
  return { ...request, toolConfig: { ...request.toolConfig, functionCallingConfig: { ...rest, mode: 'AUTO' } } };
}

function declare(request: GeminiRequest, view: View & { readonly plan: DeferPlan }): readonly JsonObject[] {
  const { plan } = view;
  const fixed = fixedDeclarations(plan);
  const revealed = plan.form.reveal === 'append' ? view.revealed : [];
  const forced = forcedTools(request, plan).filter(({ name }) => !revealed.some((shown) => shown.name === name));
  if (forced.length === 0) return [...fixed, ...revealed.map(define)];
  // A forced stub is shown in full: the model can't search for its parameters first.
  const names = new Set<unknown>(forced.map(({ name }) => name));
  return [...fixed.filter(({ name }) => !names.has(name)), ...revealed.map(define), ...forced.map(define)];
}

const fixedByPlan = new WeakMap<DeferPlan, readonly JsonObject[]>();

/** Rendered once per plan: with thousands of tools, this must not be repeated for every request. */
function fixedDeclarations(plan: DeferPlan): readonly JsonObject[] {
  let fixed = fixedByPlan.get(plan);
  if (fixed === undefined) {
    fixed = [...plan.own.map(defineOwn), ...plan.shown.map(define)];
    fixedByPlan.set(plan, fixed);
  }
  return fixed;
}

function defineOwn({ name, description, schema }: Own): JsonObject {
  return { name, description, parametersJsonSchema: schema };
}

function define(shown: Shown): JsonObject {
  return writeTool(shown.tool, 'gemini', { name: shown.name, shown });
}

/** A deferred tool that the model is told to call must be declared, found or not: a name without a declaration is rejected. */
function forcedTools(request: GeminiRequest, plan: DeferPlan): readonly Shown[] {
  return allowedNames(callingConfig(request)).flatMap((given): readonly Shown[] => {
    const name = modelName(plan.snapshot, given);
    const tool = plan.deferred.has(name) ? plan.snapshot.resolve(name) : undefined;
    if (tool === undefined) return [];
    return [{ tool, name, as: 'full', description: tool.description, schema: tool.schema }];
  });
}

function callingConfig(request: GeminiRequest): GeminiCallingConfig | undefined {
  const config = request.toolConfig?.functionCallingConfig;
  return isJsonObject(config) ? config : undefined;
}

function allowedNames(config: GeminiCallingConfig | undefined): readonly string[] {
  const names = config?.allowedFunctionNames;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

interface Rendering {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  readonly history: History;
  readonly contents: GeminiContent[];
  memory: Memory;
  /** Our answers that wait for the client's responses to calls of the same round. */
  waiting: readonly Ranked[];
}

/** A response, and the position of its call. */
interface Ranked {
  readonly part: GeminiPart;
  readonly rank: number;
}

/** The history as the model reads it: our rounds as ordinary calls and responses, deferred tools called in the plan's form. */
function renderContents(contents: readonly GeminiContent[], plan: DeferPlan, tell: Tell): readonly GeminiContent[] {
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

/** A history without our parts, for an upstream that is called without tool search. */
function stripContents(contents: readonly GeminiContent[]): readonly GeminiContent[] {
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
 * What the client sent between two model turns. Drops responses without a call; the others, and ours, get the name and the
 * order of their calls: parallel responses arrive in any order, and without ids only the order distinguishes two
 * calls of one name. Those that can't be sorted in place move to the first content that has any.
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

/** No content that has parts ends up with none; unchanged contents stay the same objects. */
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

/** A call to one of our tools as the model wrote it. Undefined if the plan lacks the tool: a call to an undeclared one would be rejected. */
function calledAs(search: HistorySearch, plan: DeferPlan): { name: string; args: JsonObject } | undefined {
  const { role, name, args } = search.call;
  if (role === undefined) {
    const called = wrapCall(plan, { name, arguments: args });
    return { name: called.name, args: called.arguments as JsonObject };
  }
  const own = plan.own.find((one) => one.role === role);
  return own === undefined ? undefined : { name: own.name, args };
}

/** A real call with the name that the model knows, wrapped if the form wraps. Undefined if it stays as it is. */
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

/** A response is an object: our answers are JSON, and a refusal's sentence gets the key that the API names for output. */
function toResponse(text: string): JsonObject {
  const value = tryParseJson(text);
  return isJsonObject(value) ? value : { output: text };
}
