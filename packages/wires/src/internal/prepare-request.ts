import type { Plan, Tool, Toolbox, ToolboxOptions } from '@quartermaster/core';
import { NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import {
  capabilitiesOf,
  chooseForm,
  type InlinePlan,
  type TransportCapabilities,
  withoutSearch,
} from '@quartermaster/core/disclosure';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import type { HttpDialect } from './answer-request.ts';
import { openaiTool } from './openai-tool.ts';
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

export interface PreparedRequest<Request, Part> {
  readonly request: Request;
  readonly plan: Plan;
  readonly toolbox: Toolbox;
  readonly wire: Wire<Request, Part>;
  /** Which tools are executed inside the loop. @default none are */
  readonly isLocal?: (tool: Tool) => boolean;
  /** The plan where it holds nothing back. */
  readonly inline?: InlinePlan;
  /** Whether there may be calls for us to answer; otherwise the request is sent once. */
  readonly isLoop: boolean;
}

/** The toolbox and the plan for a request; nothing for one that is to pass. */
export function requestPreparer<Request extends RequestBody, Part, Response_>(
  endpoint: Endpoint<Request, Part, Response_>,
  options: OpenAIToolSearchOptions,
): (request: Request, host: string) => PreparedRequest<Request, Part> | undefined {
  const { transport: given, transports, catalog: extra = [], execute, hooks, ...rest } = options;
  const local = readDefinitions(extra);
  const isLocal = new Set(local.map((tool) => tool.id));
  const toolboxes = requestToolboxes(
    { ...rest, ...defined({ execute, hooks }) },
    { name: endpoint.transport, maxNameLength: MAX_NAME_LENGTH, nameTemplate: NAME_TEMPLATES.proxy },
  );
  return (request, host) => {
    const transport = given ?? (isOpenAI(host) ? endpoint.transport : 'unknown');
    const model = typeof request.model === 'string' ? request.model : undefined;
    const can = capabilitiesOf(transport, { model, table: transports });
    if ((rest.form ?? 'auto') === 'auto' && endpoint.isServed(request, can)) return undefined;
    const declared = endpoint.readTools(request);
    if (declared.length + local.length === 0 && !endpoint.isClientSearch(request)) return undefined;
    // What the client declares comes first: a tool of the catalog by the same name is the client's own.
    const ids = new Set(declared.map((tool) => tool.id));
    const tools = [...declared, ...local.filter((tool) => !ids.has(tool.id))];
    const toolbox = toolboxes.toolbox(tools, JSON.stringify([request.tools, endpoint.loadedTools(request)]));
    const isClient = endpoint.isClientSearch(request);
    const plan = toolbox.plan(contextWindow({ override: rest.contextTokens, model }), {
      form: chooseForm(can, isClient ? 'client' : rest.form).form,
      ...defined({ caller: rest.caller }),
    });
    const { wire } = endpoint;
    const isOurs = (tool: Tool): boolean => isLocal.has(tool.id) && !ids.has(tool.id);
    const stages = { toolbox, wire, ...(execute === undefined ? {} : { isLocal: isOurs }) };
    if (plan.kind === 'defer') return { request, plan, ...stages, isLoop: true };
    const ours = plan.shown.filter(({ tool }) => isOurs(tool));
    const inline = endpoint.isMarked(request) && !can.deferMark ? withoutSearch(plan, 'clients') : plan;
    if (ours.length === 0) return { request, plan: inline, inline: plan, ...stages, isLoop: isClient };
    const added = ours.map(({ tool, name }) =>
      writeTool(openaiTool(tool, endpoint.format), endpoint.format, { name, deferred: false }),
    );
    const whole = { ...request, tools: [...(Array.isArray(request.tools) ? request.tools : []), ...added] };
    return { request: whole, plan: inline, inline: plan, ...stages, isLoop: isClient || execute !== undefined };
  };
}

function isOpenAI(host: string): boolean {
  return host === 'api.openai.com' || host.endsWith('.api.openai.com') || host.endsWith('.openai.azure.com');
}

/** The longest name that the API takes. */
const MAX_NAME_LENGTH = 64;
