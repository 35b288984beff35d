import {
  capabilitiesOf,
  chooseForm,
  contextWindow,
  createRegexSearcher,
  type DeferPlan,
  FORMS,
  type InlinePlan,
  isJsonObject,
  NAME_TEMPLATES,
  type Opened,
  type Plan,
  parseTools,
  type Tool,
  type Toolbox,
  type TransportCapabilities,
  type TransportTable,
  type Wire,
} from '@quartermaster/core';
import { requestToolboxes, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import {
  type AnthropicEvent,
  type AnthropicRequest,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isToolResult,
} from './anthropic-shapes-2026-11.ts';
import { createAnthropicWire } from './anthropic-wire.ts';
import { referencesIn } from './read-history.ts';
import type { ErrorCodes } from './search-error.ts';
import { splitTools } from './search-tool.ts';

export interface AnthropicToolSearchOptions extends ToolSearchOptions {
  /** What the host can do, as a row of `transports`. @default by the client's base URL; an unknown host has functions only */
  readonly transport?: string;
  /** @default TRANSPORTS */
  readonly transports?: TransportTable;
  /**
   * Tools that can be found though no request declares them: ours, or definitions in any known format. The client gets their
   * calls like any other.
   * @default none
   */
  readonly catalog?: readonly object[];
  /** What runs a search with the regex tool. @default our engine for Python's `re` */
  readonly regexSearcher?: NonNullable<ToolSearchOptions['searcher']>;
  /** Which codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
}

/** What becomes of a request. */
export type RequestPlan =
  /** It goes to the host as it is: nothing is deferred, or the host does all that it asks for. */
  | { readonly kind: 'pass' }
  /** It goes to the host in plain words, once. */
  | { readonly kind: 'render'; readonly request: AnthropicRequest }
  /** We search. */
  | {
      readonly kind: 'loop';
      readonly wire: Wire<AnthropicRequest, AnthropicEvent>;
      readonly toolbox: Toolbox;
      readonly plan: DeferPlan;
      readonly stream: boolean;
    };

/** The longest name that the Messages API takes. */
const MAX_NAME_LENGTH = 128;

/** Decides for each request anew, from what it declares and what the host can do. */
export function requestPlanner(
  options: AnthropicToolSearchOptions,
  transport: string,
): (request: AnthropicRequest) => RequestPlan {
  const { transport: _, transports, catalog = [], regexSearcher = createRegexSearcher, errorCodes, ...rest } = options;
  const undeclared = readCatalog(catalog);
  const limits = { name: transport, maxNameLength: MAX_NAME_LENGTH, nameTemplate: NAME_TEMPLATES.proxy };
  const byText = requestToolboxes(rest, limits);
  const byPattern = requestToolboxes({ ...rest, searcher: regexSearcher }, limits);
  const codes = errorCodes === undefined ? {} : { errorCodes };
  // A request that defers some tools has decided about all of them; one that defers none leaves it to the gate.
  const decided = createAnthropicWire({ ...codes, missingDeferral: 'never', deferredAlone: 'ours' });
  const undecided = createAnthropicWire({ ...codes, missingDeferral: 'automatic', deferredAlone: 'ours' });

  return (request) => {
    const wire = defers(request) ? decided : undecided;
    const opened = wire.open(request);
    const can = capabilitiesOf(transport, {
      model: opened.model,
      ...(transports === undefined ? {} : { table: transports }),
    });
    if ((rest.form ?? 'auto') === 'auto' && hostSearches(opened, can)) return { kind: 'pass' };
    const isRegex = opened.search?.kind === 'hosted' && opened.search.engine === 'regex';
    const declared = new Set(opened.tools.map((tool) => tool.id));
    const tools = [...opened.tools, ...undeclared.filter((tool) => !declared.has(tool.id))];
    const toolbox = (isRegex ? byPattern : byText).toolbox(tools, JSON.stringify(request.tools ?? []));
    const plan = toolbox.plan(contextWindow({ override: rest.contextTokens, model: opened.model }), {
      form: chooseForm(can, opened.search?.kind === 'client' ? 'client' : rest.form).form,
      // The Messages API has no block for a description: searches carry what one would say.
      describe: false,
      ...(opened.search?.kind === 'hosted' ? { searchName: opened.search.name } : {}),
      ...(rest.caller === undefined ? {} : { caller: rest.caller }),
    });
    if (plan.kind === 'defer') return { kind: 'loop', wire, toolbox, plan, stream: opened.stream };
    if (can.references || !hasTraces(request)) return { kind: 'pass' };
    return { kind: 'render', request: renderPlain({ request, wire, toolbox, plan }) };
  };
}

function readCatalog(definitions: readonly object[]): readonly Tool[] {
  const isTool = (one: object): one is Tool => 'id' in one && 'policy' in one && 'extras' in one && 'schema' in one;
  return definitions.every(isTool) ? definitions : parseTools(definitions, { onProblem: 'throw' }).tools;
}

/** Whether a request marks tools, or asks for a search. */
function defers(request: AnthropicRequest): boolean {
  const { search, others } = splitTools(request);
  return search.length > 0 || others.some((tool) => isJsonObject(tool) && tool.defer_loading === true);
}

/** Whether the host runs the search that the request asks for, or expands the references that the client has found. */
function hostSearches(opened: Opened, can: TransportCapabilities): boolean {
  switch (opened.search?.kind) {
    case 'hosted':
      return opened.search.engine !== 'any' && can.hostedSearch.includes(`anthropic-${opened.search.engine}`);
    case 'client':
      return can.references;
    case undefined:
      return false;
  }
}

/** Whether a host that knows nothing of tool search would stumble over the request. */
function hasTraces(request: AnthropicRequest): boolean {
  if (defers(request)) return true;
  return request.messages
    .flatMap(blocksOf)
    .some(
      (block) =>
        isSearchResult(block) ||
        (isServerToolUse(block) && block.name.startsWith('tool_search_tool')) ||
        (isToolResult(block) && referencesIn(block.content).length > 0),
    );
}

/** Every tool in full, without marks and search tools; past searches are left out, references become text. */
function renderPlain(parts: {
  request: AnthropicRequest;
  wire: Wire<AnthropicRequest, AnthropicEvent>;
  toolbox: Toolbox;
  plan: InlinePlan;
}): AnthropicRequest {
  const { request, wire, toolbox } = parts;
  const plan: Plan = { ...parts.plan, kind: 'defer', form: FORMS.client, deferred: new Set(), own: [] };
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}
