import type { Plan, Toolbox } from '@quartermaster/core';
import { type InlinePlan, withoutSearch } from '@quartermaster/core/disclosure';
import { searchOptions } from '@quartermaster/core/loop';
import type { DialectName, DialectOf, RequestOf } from '@quartermaster/host/upstream';
import type { ToolList } from '../catalogs/index.ts';
import { type GatewayEvent, planCost } from '../events/index.ts';
import type { GatewayUpstream } from '../upstreams.ts';

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
  readonly plan: Plan;
}

export interface ExchangeQuestion<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly request: RequestOf<Name>;
  readonly list: ToolList;
  readonly upstream: GatewayUpstream;
  /** Whether some of the tools are executed here, inside the loop. @default false */
  readonly executes?: boolean;
}

/** Decides for each request, from what it declares and what its host can do. */
export function planExchange<Name extends DialectName>(
  question: ExchangeQuestion<Name>,
): PlannedExchange<RequestOf<Name>> {
  const { dialect, request, list, upstream, executes = false } = question;
  const { toolbox } = list;
  const can = upstream.capabilities(dialect.name);
  dialect.api.refuse?.(request, can);
  const asked = dialect.api.openSearch(request, list.searchTools);
  // What stands in a named catalog only we can search.
  const search = list.hasCatalogs && asked?.kind === 'client' ? undefined : asked;
  const isHosts = upstream.toolSearch === 'upstream' || search?.kind === 'client';
  if (isHosts && dialect.api.isServed(search, can)) {
    const whole = withTools(request, list);
    return executes
      ? { kind: 'loop', request: whole, toolbox, plan: untouched(toolbox) }
      : { kind: 'once', request: whole };
  }
  const plan = toolbox.plan(upstream.limits, {
    form: dialect.api.form(can, search),
    describe: dialect.api.describe,
    ...searchOptions(search),
  });
  if (plan.kind === 'inline') {
    const whole = withTools(request, list);
    const plain = { request: whole, toolbox, plan: withoutSearch(plan, search?.kind === 'client' ? 'clients' : 'off') };
    const once = { kind: 'once', inline: plan, loop: { kind: 'loop', ...plain } } as const;
    // A host that knows what the dialect has for tool search knows the rest of it too.
    if (can.references || can.deferMark) {
      return executes ? { kind: 'loop', request: whole, toolbox, plan } : { ...once, request: whole };
    }
    // Tools that are declared by other names are called by them: the loop translates that back.
    if (executes || isRenamed(plan)) {
      refuseUnloopable(dialect, request);
      return { kind: 'loop', ...plain };
    }
    return { ...once, request: renderWith(dialect, plain), isPlain: true };
  }
  refuseUnloopable(dialect, request);
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
  if (plan.kind === 'inline' || plan.deferred.size === 0)
    return { decision: 'inline', reason: plan.reason, cost: planCost(plan) };
  const { hidden, reveal, invoke } = plan.form;
  const form = [hidden, reveal, invoke].join(' ');
  return { decision: 'defer', reason: plan.reason, form, cost: planCost(plan) };
}

/** The plain request that a loop would begin with. */
export function renderOnce<Name extends DialectName>(
  dialect: DialectOf<Name>,
  planned: PlannedExchange<RequestOf<Name>>,
): RequestOf<Name> {
  if (planned.kind === 'once') return planned.request;
  return renderWith(dialect, planned);
}

/** What can't be served by a loop is refused in the wire's own words. */
function refuseUnloopable<Name extends DialectName>({ wire }: DialectOf<Name>, request: RequestOf<Name>): void {
  wire.open({ ...request, tools: [] });
}

export function isLoopable<Name extends DialectName>(dialect: DialectOf<Name>, request: RequestOf<Name>): boolean {
  try {
    refuseUnloopable(dialect, request);
    return true;
  } catch {
    return false;
  }
}

/** For a request that goes to its host as it is, round after round. */
function untouched(toolbox: Toolbox): InlinePlan {
  const reason = 'the host or the client searches by itself';
  return {
    kind: 'inline',
    snapshot: toolbox.snapshot(),
    shown: [],
    definitions: [],
    reason,
    tokens: { before: 0, after: 0 },
  };
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

function renderWith<Name extends DialectName>(
  { wire }: DialectOf<Name>,
  parts: { readonly request: RequestOf<Name>; readonly toolbox: Toolbox; readonly plan: Plan },
): RequestOf<Name> {
  const { request, toolbox, plan } = parts;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}
