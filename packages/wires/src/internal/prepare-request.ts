import type { Tool, ToolboxOptions } from '@quartermaster/core';
import { NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import { capabilitiesOf, chooseForm, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planRequest, type Wire } from '@quartermaster/core/loop';
import type { HttpDialect } from './answer-request.ts';
import { openaiTool } from './as-shown.ts';
import { requestToolboxes, type ToolSearchOptions } from './request-toolbox.ts';

/** How tool search behaves for an OpenAI client. */
export interface OpenAIToolSearchOptions extends ToolSearchOptions {
  /** What the host can do, as a row of `transports`. @default by the request's address; an unknown host has functions only */
  readonly transport?: string;
  /** Tools that can be found though no request declares them: ours or in any known format. @default none */
  readonly catalog?: readonly object[];
  /** Runs the catalog's tools inside the loop. Without it the client gets their calls like any other. */
  readonly execute?: NonNullable<ToolboxOptions['execute']>;
  readonly hooks?: NonNullable<ToolboxOptions['hooks']>;
}

/** What an endpoint is made of. */
export interface Endpoint<Request, Part, Response_> extends Omit<HttpDialect<Part, Response_>, 'explain'> {
  readonly wire: Wire<Request, Part>;
  readonly format: 'openai-chat' | 'openai-responses';
  /** The end of the endpoint's path. */
  readonly path: string;
  /** The row of the transport table for OpenAI's own hosts. */
  readonly transport: string;
  isRequest(value: object): boolean;
  readTools(request: Request): readonly Tool[];
  /** Definitions among those that stand in the messages, not in `tools`. */
  loadedTools(request: Request): readonly unknown[];
  /** Whether the client searches by itself. */
  isClientSearch(request: Request): boolean;
  /** Whether the request has traces of tool search in it: marks, search tools, past searches. */
  isMarked(request: Request): boolean;
  /** Whether the host does all that the request asks for, so that it goes there as it is. */
  isServed(request: Request, can: TransportCapabilities): boolean;
}

/** What every request of these endpoints has. */
export interface RequestBody {
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** What becomes of a request, and which tools are executed inside the loop. */
export interface PreparedRequest<Request, Part> {
  readonly planned: Planned<Request, Part>;
  readonly isLocal?: (tool: Tool) => boolean;
}

/** The toolbox and the plan for a request; nothing for one that is to pass. */
export function requestPreparer<Request extends RequestBody, Part, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  options: OpenAIToolSearchOptions,
): (request: Request, host: string) => PreparedRequest<Request, Part> | undefined {
  const { transport: given, transports, catalog: extra = [], execute, hooks, ...rest } = options;
  const catalog = readDefinitions(extra);
  const toolboxes = requestToolboxes(
    { ...rest, ...defined({ execute, hooks }) },
    {
      name: endpoint.transport,
      maxNameLength: MAX_NAME_LENGTH,
      nameTemplate: NAME_TEMPLATES.proxy,
      ownOptions: { catalog: true, execute: true, hooks: true, fetch: true },
    },
  );
  return (request, host) => {
    const { wire, format } = endpoint;
    const transport = given ?? (isOpenAI(host) ? endpoint.transport : 'unknown');
    const model = typeof request.model === 'string' ? request.model : undefined;
    const can = capabilitiesOf(transport, { model, table: transports });
    if ((rest.form ?? 'auto') === 'auto' && endpoint.isServed(request, can)) return undefined;
    const declared = endpoint.readTools(request);
    const isClient = endpoint.isClientSearch(request);
    if (declared.length + catalog.length === 0 && !isClient) return undefined;
    // What the client declares comes first: a tool of the catalog by the same name is the client's own.
    const ids = new Set(declared.map((tool) => tool.id));
    const added = catalog.filter((tool) => !ids.has(tool.id));
    const ours = new Set(added.map((tool) => tool.id));
    const isLocal = execute !== undefined && added.length > 0 ? { isLocal: (tool: Tool) => ours.has(tool.id) } : {};
    const planned = planRequest<Request, Part>({
      ...{ wire, request, search: isClient ? { kind: 'client' } : undefined },
      toolbox: toolboxes.toolbox(
        [...declared, ...added],
        JSON.stringify([request.tools, endpoint.loadedTools(request)]),
      ),
      limits: contextWindow({ override: rest.contextTokens, model }),
      options: {
        form: chooseForm(can, isClient ? 'client' : rest.form).form,
        ...defined({ caller: rest.caller }),
      },
      isForeign: endpoint.isMarked(request) && !can.deferMark,
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

/** The longest name that the API takes. */
const MAX_NAME_LENGTH = 64;
