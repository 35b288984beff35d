import { isJsonObject, type JsonObject, NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import type { Shown } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import type { Planned } from '@quartermaster/core/loop';
import { type CatalogOptions, requestPlanner } from '../internal/request-planner.ts';
import type { ToolSearchOptions } from '../internal/request-toolbox.ts';
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
export interface AnthropicToolSearchOptions extends ToolSearchOptions, CatalogOptions {
  /** What the host supports, as a row of `transports`. @default by the client's base URL; an unknown host supports functions only */
  readonly transport?: string;
  /** Which error codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
}

/** Decides for each request, from what it declares and what the host supports. */
export function anthropicPlanner(
  options: AnthropicToolSearchOptions,
  transport: string,
): (request: AnthropicRequest) => Planned<AnthropicRequest, AnthropicEvent> {
  const { errorCodes, ...rest } = options;
  const plan = requestPlanner(rest, {
    ...{ name: transport, maxNameLength: anthropicDialect.api.maxNameLength, nameTemplate: NAME_TEMPLATES.proxy },
    hasSearch: true,
    ownOptions: { catalog: true, errorCodes: true },
  });
  const codes = defined({ errorCodes });
  // A request that defers some tools has decided about all of them; one that defers none leaves it to the gate.
  const decided = createAnthropicWire({ ...codes, missingDeferral: 'never', deferredAlone: 'ours' });
  const undecided = createAnthropicWire({ ...codes, missingDeferral: 'automatic', deferredAlone: 'ours' });

  return (request) => {
    const wire = defers(request) ? decided : undecided;
    const opened = wire.open(request);
    const { search, model } = opened;
    const { planned } = plan({
      ...{ wire, request, opened, search, model, key: request.tools ?? [] },
      tools: () => opened.tools,
      // The Messages API has no block for a description: search results contain what one would say.
      describe: false,
      isServed: (can) => anthropicDialect.api.isServed(search, can),
      isForeign: (can) => !can.references && hasTraces(request),
      declare: (shown) => ({ ...request, tools: [...(request.tools ?? []), ...shown.map(writeAdded)] }),
    });
    return planned;
  };
}

function writeAdded({ tool, name }: Shown): JsonObject {
  return writeTool(tool, 'anthropic', { name, deferred: false });
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
