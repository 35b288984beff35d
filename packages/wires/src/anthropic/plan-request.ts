import { isJsonObject, NAME_TEMPLATES } from '@quartermaster/core/catalog';
import { capabilitiesOf, chooseForm } from '@quartermaster/core/disclosure';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planRequest } from '@quartermaster/core/loop';
import { requestToolboxes, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import { anthropicDialect, createAnthropicWire } from './anthropic-dialect.ts';
import {
  type AnthropicEvent,
  type AnthropicRequest,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isToolResult,
} from './anthropic-shapes-2026-11.ts';
import { splitTools } from './open.ts';
import { referencesIn } from './recall.ts';
import type { ErrorCodes } from './search-error.ts';

/** Options of `withToolSearch` for Anthropic's client. */
export interface AnthropicToolSearchOptions extends ToolSearchOptions {
  /** What the host supports, as a row of `transports`. @default by the client's base URL; an unknown host supports functions only */
  readonly transport?: string;
  /**
   * Tools that can be found although no request declares them: ours, or definitions in any known format. The client gets their
   * calls like any other.
   * @default none
   */
  readonly catalog?: readonly object[];
  /** Which error codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
}

/** The longest name in the Messages API. */
const MAX_NAME_LENGTH = 128;

/** Decides for each request, from what it declares and what the host supports. */
export function requestPlanner(
  options: AnthropicToolSearchOptions,
  transport: string,
): (request: AnthropicRequest) => Planned<AnthropicRequest, AnthropicEvent> {
  const { transport: _, transports, catalog = [], errorCodes, ...rest } = options;
  const undeclared = readDefinitions(catalog);
  const limits = {
    name: transport,
    maxNameLength: MAX_NAME_LENGTH,
    nameTemplate: NAME_TEMPLATES.proxy,
    ownOptions: { catalog: true, errorCodes: true },
  } as const;
  const toolboxes = requestToolboxes(rest, limits);
  const codes = errorCodes === undefined ? {} : { errorCodes };
  // A request that defers some tools has decided about all of them; one that defers none leaves it to the gate.
  const decided = createAnthropicWire({ ...codes, missingDeferral: 'never', deferredAlone: 'ours' });
  const undecided = createAnthropicWire({ ...codes, missingDeferral: 'automatic', deferredAlone: 'ours' });

  return (request) => {
    const wire = defers(request) ? decided : undecided;
    const opened = wire.open(request);
    const can = capabilitiesOf(transport, { model: opened.model, table: transports });
    const declared = new Set(opened.tools.map((tool) => tool.id));
    const tools = [...opened.tools, ...undeclared.filter((tool) => !declared.has(tool.id))];
    return planRequest({
      ...{ wire, request, opened, search: opened.search },
      toolbox: toolboxes.toolbox(tools, JSON.stringify(request.tools ?? [])),
      limits: contextWindow({ override: rest.contextTokens, model: opened.model }),
      options: {
        form: chooseForm(can, opened.search?.kind === 'client' ? 'client' : rest.form).form,
        // The Messages API has no block for a description: search results contain what one would say.
        describe: false,
        ...defined({ caller: rest.caller }),
      },
      isServed: (rest.form ?? 'auto') === 'auto' && anthropicDialect.api.isServed(opened.search, can),
      isForeign: !can.references && hasTraces(request),
    });
  };
}

/** Whether a request marks tools, or asks for a search. */
function defers(request: AnthropicRequest): boolean {
  const { search, others } = splitTools(request);
  return search.length > 0 || others.some((tool) => isJsonObject(tool) && tool.defer_loading === true);
}

/** Whether a host without tool search would reject the request. */
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
