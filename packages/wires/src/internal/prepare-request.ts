import type { Tool, ToolboxOptions } from '@quartermaster/core';
import { isJsonObject, NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import { capabilitiesOf, chooseForm } from '@quartermaster/core/disclosure';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planRequest } from '@quartermaster/core/loop';
import type { Dialect } from '../dialect.ts';
import { requestToolboxes, type ToolSearchOptions } from './request-toolbox.ts';
import { openaiTool } from './shown-tools.ts';

/** How tool search behaves for an OpenAI client. */
export interface OpenAIToolSearchOptions extends ToolSearchOptions {
  /** What the host supports, as a row of `transports`. @default by the request's address; an unknown host supports functions only */
  readonly transport?: string;
  /** Tools that can be found although no request declares them: ours or in any known format. @default none */
  readonly catalog?: readonly object[];
  /** Runs the catalog's tools inside the loop. Without it the client gets their calls like any other. */
  readonly execute?: NonNullable<ToolboxOptions['execute']>;
  readonly hooks?: NonNullable<ToolboxOptions['hooks']>;
}

/** An OpenAI dialect, plus the questions that the SDK adapter asks about a request. */
export interface AdaptedDialect<Request, Part, Response_> {
  readonly dialect: Dialect<Request, Part, Response_, 'openai-chat' | 'openai-responses'>;
  isRequest(value: object): boolean;
  readTools(request: Request): readonly Tool[];
  /** Definitions that are in the messages, not in `tools`. */
  loadedTools(request: Request): readonly unknown[];
  /** Whether the request has traces of tool search: marks, search tools, past searches. */
  isMarked(request: Request): boolean;
}

/** What every request of these endpoints has. */
export interface RequestBody {
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** What happens to a request, and which tools are executed inside the loop. */
interface PreparedRequest<Request, Part> {
  readonly planned: Planned<Request, Part>;
  readonly isLocal?: (tool: Tool) => boolean;
}

/** The toolbox and the plan for a request; undefined for one that passes unchanged. */
export function requestPreparer<Request extends RequestBody, Part, Response_>(
  adapted: AdaptedDialect<Request, Part, Response_>,
  options: OpenAIToolSearchOptions,
): (request: Request, host: string) => PreparedRequest<Request, Part> | undefined {
  const { transport: given, transports, catalog: extra = [], execute, hooks, ...rest } = options;
  const catalog = readDefinitions(extra);
  const { wire, endpoint, api, name: format } = adapted.dialect;
  const toolboxes = requestToolboxes(
    { ...rest, ...defined({ execute, hooks }) },
    {
      name: endpoint.transport,
      maxNameLength: api.maxNameLength,
      nameTemplate: NAME_TEMPLATES.proxy,
      ownOptions: { catalog: true, execute: true, hooks: true, fetch: true },
    },
  );
  return (request, host) => {
    const transport = given ?? (isOpenAI(host) ? endpoint.transport : 'unknown');
    const model = typeof request.model === 'string' ? request.model : undefined;
    const can = capabilitiesOf(transport, { model, table: transports });
    const { search } = api.openSearch(request, Array.isArray(request.tools) ? request.tools.filter(isJsonObject) : []);
    if ((rest.form ?? 'auto') === 'auto' && api.isServed(search, can)) return undefined;
    const declared = adapted.readTools(request);
    const isClient = search?.kind === 'client';
    if (declared.length + catalog.length === 0 && !isClient) return undefined;
    // What the client declares comes first: a catalog tool of the same name is the client's own.
    const ids = new Set(declared.map((tool) => tool.id));
    const added = catalog.filter((tool) => !ids.has(tool.id));
    const ours = new Set(added.map((tool) => tool.id));
    const isLocal = execute !== undefined && added.length > 0 ? { isLocal: (tool: Tool) => ours.has(tool.id) } : {};
    const planned = planRequest<Request, Part>({
      ...{ wire, request, search: isClient ? { kind: 'client' } : undefined },
      toolbox: toolboxes.toolbox(
        [...declared, ...added],
        JSON.stringify([request.tools, adapted.loadedTools(request)]),
      ),
      limits: contextWindow({ override: rest.contextTokens, model }),
      options: {
        form: chooseForm(can, isClient ? 'client' : rest.form).form,
        ...defined({ caller: rest.caller }),
      },
      isForeign: adapted.isMarked(request) && !can.deferMark,
      executes: isClient || 'isLocal' in isLocal,
      whole(plan) {
        const shown = plan?.shown.filter(({ tool }) => ours.has(tool.id)) ?? [];
        if (shown.length === 0) return request;
        const written = shown.map(({ tool, name }) =>
          writeTool(openaiTool(tool, format), format, { name, deferred: false }),
        );
        return { ...request, tools: [...(Array.isArray(request.tools) ? request.tools : []), ...written] };
      },
    });
    return { planned, ...isLocal };
  };
}

function isOpenAI(host: string): boolean {
  return host === 'api.openai.com' || host.endsWith('.api.openai.com') || host.endsWith('.openai.azure.com');
}
