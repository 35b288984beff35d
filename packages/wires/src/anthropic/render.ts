import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import type { DeferPlan, Own, Shown, Tell, View } from '@quartermaster/core/disclosure';
import { deferredInFull, describeExamples, memoized, ownTool } from '@quartermaster/core/internal';
import type { AnthropicMessage, AnthropicRequest, AnthropicToolChoice } from './anthropic-shapes-2026-11.ts';
import {
  isForeignSearch,
  latestTextIndex,
  ownSearch,
  readSearchTool,
  SEARCH_TOOL_NAMES,
  SEARCH_TOOL_TYPES,
  splitTools,
} from './open.ts';
import { renderMessages } from './render-messages.ts';

/** A plain request of the same dialect. Fields and blocks that don't concern tool search stay as they are. */
export function renderRequest(request: AnthropicRequest, view: View, tell: Tell): AnthropicRequest {
  const { plan } = view;
  if (plan.kind === 'inline') return withoutForeignSearches(request);
  const { tools, has, choice } = renderTools(request, view);
  const messages = renderMessages(withTail(request.messages, view.tail), { plan, tell, has });
  const { tools: _, tool_choice: __, ...rest } = request;
  return {
    ...rest,
    ...renderSystem(request, plan.note),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined || tools.length === 0 ? {} : { tool_choice: choice }),
    messages,
  };
}

/** Search tools that no host of this API knows: with every tool in the request, none is needed. */
function withoutForeignSearches(request: AnthropicRequest): AnthropicRequest {
  const { tools, tool_choice: choice, ...rest } = request;
  if (!Array.isArray(tools) || !tools.some(isForeignSearch)) return request;
  const plain = tools.filter((tool) => !isForeignSearch(tool));
  if (plain.length === 0) return rest;
  const forced = forcedSearch(request);
  if (choice === undefined || !isForeignSearch(forced?.definition)) return { ...request, tools: plain };
  return { ...rest, tools: plain, tool_choice: freeChoice(choice) };
}

/** After the client's own instructions, so that their bytes stay in the cached prefix. */
function renderSystem(request: AnthropicRequest, note: string | undefined): Pick<AnthropicRequest, 'system'> {
  const { system } = request;
  if (note === undefined) return {};
  if (Array.isArray(system)) return { system: [...system, { type: 'text', text: note }] };
  return { system: typeof system === 'string' && system !== '' ? `${system}\n\n${note}` : note };
}

function withTail(messages: readonly AnthropicMessage[], tail: string | undefined): readonly AnthropicMessage[] {
  const latest = latestTextIndex(messages);
  if (tail === undefined || latest < 0) return messages;
  return messages.map((message, index) => (index === latest ? addText(message, tail) : message));
}

function addText(message: AnthropicMessage, text: string): AnthropicMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: `${content}\n\n${text}` };
  return { ...message, content: [...content, { type: 'text', text }] };
}

/** The tools that are sent upstream. */
interface RenderedTools {
  readonly tools: readonly JsonObject[];
  /** Whether a tool of this name is among them: a reference to any other would be rejected. */
  readonly has: (name: string) => boolean;
  readonly choice: AnthropicToolChoice | undefined;
}

/** Our tools, then the fixed part of the plan, then what the conversation has revealed, in the order of discovery. */
function renderTools(request: AnthropicRequest, view: View): RenderedTools {
  const plan = view.plan as DeferPlan;
  const fixed = fixedTools(plan);
  const forced = forcedTool(request, plan);
  const revealed = (plan.form.reveal === 'answer' ? [] : view.revealed).filter(({ name }) => !fixed.names.has(name));
  const isRevealed = revealed.some(({ name }) => name === forced?.name);
  const late = forced === undefined || isRevealed ? revealed : [...revealed, forced];
  const names = new Set(late.map(({ name }) => name));
  return {
    tools: [
      ...(plan.form.search === 'provider' ? hostedSearch(request) : []),
      ...withBreakpoint(
        forced === undefined || !fixed.names.has(forced.name)
          ? fixed.definitions
          : // A forced stub or mark is shown in full: the model can't search for its parameters first.
            fixed.definitions.filter(({ name }) => name !== forced.name),
        request,
        plan,
      ),
      ...late.map((shown) =>
        shown.name === forced?.name ? define({ ...shown, as: 'full' }, plan) : defineFound(shown, { plan, fixed }),
      ),
    ],
    has: (name) => fixed.names.has(name) || names.has(name),
    choice: renderChoice(request, plan),
  };
}

/**
 * Moves a cache breakpoint on the client's search tool to an equivalent place: the last definition that the client wrote no
 * later than it, or our search tool if it came first.
 */
function withBreakpoint(
  definitions: readonly JsonObject[],
  request: AnthropicRequest,
  plan: DeferPlan,
): readonly JsonObject[] {
  const given = request.tools ?? [];
  const place = given.findLastIndex((tool) => readSearchTool(tool) !== undefined && isJsonObject(tool.cache_control));
  const breakpoint = given[place]?.cache_control;
  if (breakpoint === undefined || plan.own.length === 0) return definitions;
  const before = new Set(given.slice(0, place).map(({ name }) => name));
  const last = definitions.findLastIndex(
    ({ name, defer_loading }) => before.has(name ?? null) && defer_loading !== true,
  );
  const target = Math.max(last, plan.own.length - 1);
  return definitions.map((definition, index) =>
    index === target && definition.cache_control === undefined
      ? { ...definition, cache_control: breakpoint }
      : definition,
  );
}

interface FixedTools {
  readonly definitions: readonly JsonObject[];
  readonly names: ReadonlySet<string>;
  /** The definitions of tools that searches have found. */
  readonly found: WeakMap<Tool, { readonly name: string; readonly definition: JsonObject }>;
}

/** Rendered once per plan: with thousands of tools, this must not be repeated for every request. */
const fixedTools = memoized(
  (plan: DeferPlan): FixedTools => ({
    definitions: [...plan.own.map(defineOwn), ...plan.shown.map((shown) => define(shown, plan))],
    names: new Set(plan.shown.map(({ name }) => name)),
    found: new WeakMap(),
  }),
);

/** A found tool is sent again in every later round and request of a conversation. */
function defineFound(shown: Shown, { plan, fixed }: { plan: DeferPlan; fixed: FixedTools }): JsonObject {
  const { tool, name } = shown;
  const known = fixed.found.get(tool);
  if (known?.name === name) return known.definition;
  const definition = define({ ...shown, as: plan.form.reveal === 'native' ? 'mark' : 'full' }, plan);
  fixed.found.set(tool, { name, definition });
  return definition;
}

function defineOwn({ name, description, schema }: Own): JsonObject {
  return { name, description, input_schema: schema };
}

/**
 * One definition. A deferred one has no cache breakpoint, which the API rejects, and has its examples in its description: the API
 * documents the field as incompatible. A stub has nothing about the parameters that it does not show.
 */
function define(shown: Shown, plan: DeferPlan): JsonObject {
  const { tool, name, as } = shown;
  if (tool.extras.providerType !== undefined) return defineProvided(shown, plan);
  const written = writeTool(tool, 'anthropic', { deferred: as === 'mark', name, shown });
  switch (as) {
    case 'full':
      return written;
    case 'mark':
      return describeWithExamples(without(written, ['cache_control', 'input_examples']), tool);
    case 'stub':
      return without(written, ['strict', 'input_examples']);
  }
}

/** A tool that Anthropic defines is sent as received; its own deferral mark stays if the host supports marks. */
function defineProvided({ tool }: Shown, plan: DeferPlan): JsonObject {
  return writeTool(tool, 'anthropic', plan.form.hidden === 'mark' ? {} : { deferred: false });
}

function describeWithExamples(definition: JsonObject, { extras }: Tool): JsonObject {
  const { description } = definition;
  const given = typeof description === 'string' ? description : '';
  const told = describeExamples(given, extras.examples);
  return told === given ? definition : { ...definition, description: told };
}

function without(definition: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(definition, key))) return definition;
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !keys.includes(key)));
}

/** The client's own search tools, never deferred; or one requested by us, because marks without a search have no effect. */
function hostedSearch(request: AnthropicRequest): readonly JsonObject[] {
  const { search } = splitTools(request);
  if (search.length === 0) return [{ type: SEARCH_TOOL_TYPES.bm25, name: SEARCH_TOOL_NAMES.bm25 }];
  return search.map((one) => ({
    ...(isForeignSearch(one.definition)
      ? { type: SEARCH_TOOL_TYPES[one.tool.engine] }
      : without(one.definition, ['defer_loading'])),
    name: hostedName(one),
  }));
}

/** A provider knows its own search tools by their fixed names only. */
function hostedName({ definition, tool: { engine, name } }: DeclaredSearch): string {
  return isForeignSearch(definition) ? SEARCH_TOOL_NAMES[engine] : name;
}

/** A tool that the request forces must be declared, found or not. */
function forcedTool(request: AnthropicRequest, plan: DeferPlan): Shown | undefined {
  const name = forcedName(request);
  return name === undefined || plan.form.invoke === 'wrapped' ? undefined : deferredInFull(plan, name);
}

/** A forced search gets the name of the tool that is sent, if any; a forced deferred tool is called in the plan's form. */
function renderChoice(request: AnthropicRequest, plan: DeferPlan): AnthropicToolChoice | undefined {
  const choice = request.tool_choice;
  const name = forcedName(request);
  if (choice === undefined || name === undefined) return choice;
  const search = forcedSearch(request);
  if (search !== undefined) {
    const sent = plan.form.search === 'provider' ? hostedName(search) : ownSearch(plan, name)?.name;
    return sent === undefined ? freeChoice(choice) : { ...choice, name: sent };
  }
  const renamed = plan.deferred.has(name) ? ownTool(plan, 'call')?.name : undefined;
  return renamed === undefined ? choice : { ...choice, name: renamed };
}

type DeclaredSearch = ReturnType<typeof splitTools>['search'][number];

/** The search tool that the request forces, by its name; another gateway's is also named by its type. */
export function forcedSearch(request: AnthropicRequest): DeclaredSearch | undefined {
  const name = forcedName(request);
  if (name === undefined) return undefined;
  return splitTools(request).search.find(
    ({ definition, tool }) => tool.name === name || (isForeignSearch(definition) && definition.type === name),
  );
}

/** The same choice without a forced tool. */
export function freeChoice({ name: _, ...choice }: AnthropicToolChoice): AnthropicToolChoice {
  return { ...choice, type: 'auto' };
}

export function forcedName(request: AnthropicRequest): string | undefined {
  const choice = request.tool_choice;
  return choice?.type === 'tool' && typeof choice.name === 'string' ? choice.name : undefined;
}
