import type { Plan, Toolbox } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import {
  type DeferPlan,
  type InlinePlan,
  type TransportCapabilities,
  withoutSearch,
} from '@quartermaster/core/disclosure';
import { searchOptions } from '@quartermaster/core/loop';
import type { Dialect, DialectShapes } from '@quartermaster/host/upstream';
import type { ToolList } from '../catalogs/index.ts';
import { type GatewayEvent, planCost } from '../events/index.ts';
import { ApiError } from '../http/index.ts';
import type { GatewayUpstream } from '../upstreams.ts';
import { isToolset } from './is-toolset.ts';
import type { Surface } from './surface.ts';

/** What becomes of a request. */
export type PlannedExchange<Request> =
  /** It goes to the host once, as it stands here: as it came, or in plain words. */
  | {
      readonly kind: 'once';
      readonly request: Request;
      readonly inline?: InlinePlan;
      /** Whether its host knows nothing but plain requests, and so keeps no state either. @default false */
      readonly isPlain?: boolean;
      /** The same with every tool declared, for a conversation that knows of a search: what the model still calls of it is answered. */
      readonly loop?: LoopExchange<Request>;
    }
  /** We search. */
  | LoopExchange<Request>;

interface LoopExchange<Request> {
  readonly kind: 'loop';
  readonly request: Request;
  readonly toolbox: Toolbox;
  readonly plan: DeferPlan;
}

export interface ExchangeQuestion<Name extends Dialect> {
  readonly surface: Surface<Name>;
  readonly request: DialectShapes[Name]['request'];
  readonly list: ToolList;
  readonly upstream: GatewayUpstream;
}

/** Decides for each request, from what it declares and what its host can do. */
export function planExchange<Name extends Dialect>(
  question: ExchangeQuestion<Name>,
): PlannedExchange<DialectShapes[Name]['request']> {
  const { surface, request, list, upstream } = question;
  const { toolbox } = list;
  const can = upstream.capabilities(surface.dialect);
  refuseToolsets(request, can);
  refuseToolChanges(request, can);
  refuseConversation(surface, request, can);
  const asked = surface.openSearch(request, list.probe);
  // What stands in a named catalog only we can search.
  const search = list.hasCatalogs && asked?.kind === 'client' ? undefined : asked;
  const isHosts = upstream.toolSearch === 'upstream' || search?.kind === 'client';
  if (isHosts && surface.isServed(search, can)) return { kind: 'once', request: withTools(request, list) };
  const plan = toolbox.plan(upstream.limits, {
    form: surface.form(can, search),
    describe: surface.describe,
    ...searchOptions(search),
  });
  if (plan.kind === 'inline') {
    const whole = withTools(request, list);
    const plain = { request: whole, toolbox, plan: withoutSearch(plan, search?.kind === 'client' ? 'clients' : 'off') };
    const once = { kind: 'once', inline: plan, loop: { kind: 'loop', ...plain } } as const;
    // A host that knows what the dialect has for tool search knows the rest of it too.
    if (can.references || can.deferMark) return { ...once, request: whole };
    // Tools that are declared by other names are called by them: the loop translates that back.
    if (isRenamed(plan)) {
      refuseUnloopable(surface, request);
      return { kind: 'loop', ...plain };
    }
    return { ...once, request: renderWith(surface, plain), isPlain: true };
  }
  refuseUnloopable(surface, request);
  return { kind: 'loop', request: list.hasCatalogs ? { ...request, tools: list.declared } : request, toolbox, plan };
}

/** What was decided, for events. */
export function describePlan(
  planned: PlannedExchange<unknown>,
): Omit<Extract<GatewayEvent, { kind: 'plan-decide' }>, 'kind' | 'requestId'> {
  if (planned.kind === 'once') {
    const { inline } = planned;
    if (inline === undefined) return { decision: 'pass', reason: 'the host or the client searches by itself' };
    return { decision: 'inline', reason: inline.reason, cost: planCost(inline) };
  }
  const { plan } = planned;
  if (plan.deferred.size === 0) return { decision: 'inline', reason: plan.reason, cost: planCost(plan) };
  const { hidden, reveal, invoke } = plan.form;
  const form = [hidden, reveal, invoke].join(' ');
  return { decision: 'defer', reason: plan.reason, form, cost: planCost(plan) };
}

/** The plain request that a loop would begin with. */
export function renderOnce<Name extends Dialect>(
  surface: Surface<Name>,
  planned: PlannedExchange<DialectShapes[Name]['request']>,
): DialectShapes[Name]['request'] {
  if (planned.kind === 'once') return planned.request;
  return renderWith(surface, planned);
}

/** What can't be served by a loop is refused in the wire's own words. */
function refuseUnloopable<Name extends Dialect>(
  { wire }: Surface<Name>,
  request: DialectShapes[Name]['request'],
): void {
  wire.open({ ...request, tools: [] });
}

export function isLoopable<Name extends Dialect>(
  surface: Surface<Name>,
  request: DialectShapes[Name]['request'],
): boolean {
  try {
    refuseUnloopable(surface, request);
    return true;
  } catch {
    return false;
  }
}

/** A model that never gets to see a server's tools would answer as if it had none. */
function refuseToolsets(
  { tools, mcp_servers: servers }: { readonly tools?: unknown; readonly mcp_servers?: unknown },
  can: TransportCapabilities,
): void {
  if (can.references || !Array.isArray(tools) || !tools.some(isToolset)) return;
  if (servers === undefined) throw new ApiError(400, 'tools: an mcp_toolset needs its server in mcp_servers');
  throw new ApiError(400, 'tools: mcp_toolset is not supported for this model; declare the tools themselves');
}

/** A host that does not know conversations would answer as if nothing had been said before. */
function refuseConversation(
  { dialect }: Surface<Dialect>,
  { conversation }: { readonly conversation?: unknown; readonly tools?: unknown },
  can: TransportCapabilities,
): void {
  if (dialect !== 'openai-responses' || can.deferMark || conversation === undefined || conversation === null) return;
  throw new ApiError(400, 'conversation is not supported for this model; use previous_response_id to go on', {
    param: 'conversation',
    code: 'unsupported_request',
  });
}

/** Of changes in the middle only an addition of a declared tool can be followed; a tool must not be lost without a word. */
function refuseToolChanges(
  { messages }: { readonly messages?: unknown; readonly tools?: unknown },
  can: TransportCapabilities,
): void {
  if (can.references || !Array.isArray(messages)) return;
  for (const { role, content } of messages.filter(isJsonObject)) {
    if (role !== 'system' || !Array.isArray(content)) continue;
    for (const { type, tool } of content.filter(isJsonObject)) {
      const isFollowed = type === 'tool_addition' && isJsonObject(tool) && tool.type === 'tool_reference';
      if ((type !== 'tool_addition' && type !== 'tool_removal') || isFollowed) continue;
      const kind = isJsonObject(tool) && typeof tool.type === 'string' ? tool.type.slice(0, 200) : 'no tool';
      throw new ApiError(400, `messages: ${type} of ${kind} is not supported for this model; change tools instead`);
    }
  }
}

function withTools<Request extends { readonly tools?: unknown }>(request: Request, list: ToolList): Request {
  return list.hasCatalogs ? { ...request, tools: list.definitions() } : request;
}

const renamed = new WeakMap<InlinePlan, boolean>();

/** Whether the model knows a tool by another name than the client does: in a namespace, too long, or of odd characters. */
function isRenamed(inline: InlinePlan): boolean {
  const known = renamed.get(inline) ?? inline.shown.some(({ tool, name }) => tool.name !== name);
  renamed.set(inline, known);
  return known;
}

function renderWith<Name extends Dialect>(
  { wire }: Surface<Name>,
  parts: { readonly request: DialectShapes[Name]['request']; readonly toolbox: Toolbox; readonly plan: Plan },
): DialectShapes[Name]['request'] {
  const { request, toolbox, plan } = parts;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}
