import { type InlinePlan, type Plan, type PlanEngine, withoutSearch } from '../disclosure/index.ts';
import type { PlanOptions, Toolbox } from '../dispatch/index.ts';
import type { ModelLimits } from '../gate/index.ts';
import type { Opened, OpenedSearch, Wire } from './wire.ts';
import { type HistoryOptions, weaveHistory } from './woven-history.ts';

/** What is asked of `planRequest`: the request, its dialect, and what its host and settings allow. */
export interface PlanQuestion<Request, Part> {
  readonly wire: Wire<Request, Part>;
  readonly request: Request;
  readonly toolbox: Toolbox;
  readonly limits: ModelLimits;
  /** The request as the wire opened it. @default it is opened where the loop has to serve it */
  readonly opened?: Opened;
  /** How the client searches, if it says so. */
  readonly search?: OpenedSearch | undefined;
  /** The form, the caller and what else a plan depends on. */
  readonly options: PlanOptions;
  /** Whether the host, or the client itself, does all that the request asks for. @default false */
  readonly isServed?: boolean;
  /** Whether the host would stumble over what the request has of tool search: marks, search tools, past searches. @default false */
  readonly isForeign?: boolean;
  /** Whether there are calls to answer even where nothing is deferred: tools that are executed inside the loop. @default false */
  readonly executes?: boolean;
  /** The request with every tool in it, if some are elsewhere. @default the request */
  whole?(plan?: InlinePlan): Request;
}

/** What becomes of a request. */
export type Planned<Request, Part> =
  /** It goes to its host as it is: the host or the client searches by itself. */
  | {
      readonly kind: 'pass';
      readonly request: Request;
      /** The same through the loop, for a conversation that is kept here: the host does not know it. */
      readonly loop?: UnopenedLoop<Request, Part>;
    }
  /** It goes to its host once, with every tool in it. */
  | {
      readonly kind: 'once';
      readonly request: Request;
      readonly plan: InlinePlan;
      /** Whether it was rewritten for a host that knows nothing of tool search. */
      readonly isRewritten: boolean;
      /** The same through the loop, for a conversation in which something was hidden: what the model still calls of it is answered. */
      readonly loop: UnopenedLoop<Request, Part>;
    }
  | PlannedLoop<Request, Part>;

/** Calls of the model's are answered here. */
export interface PlannedLoop<Request, Part> extends UnopenedLoop<Request, Part> {
  readonly opened: Opened;
}

/** A loop for a request that may never need one. */
export interface UnopenedLoop<Request, Part> {
  readonly kind: 'loop';
  readonly request: Request;
  readonly wire: Wire<Request, Part>;
  readonly toolbox: Toolbox;
  readonly plan: Plan;
}

/**
 * Decides what becomes of a request: pass it on, send it once with every tool in it, or run the loop. The same for every surface.
 * Throws what the wire says of a request that no loop can serve.
 */
export function planRequest<Request, Part>(question: PlanQuestion<Request, Part>): Planned<Request, Part> {
  const { wire, request, toolbox, search, isForeign = false, executes = false } = question;
  if (question.isServed === true) {
    const whole = question.whole?.() ?? request;
    const loop = { kind: 'loop', request: whole, wire, toolbox, plan: untouched(toolbox) } as const;
    return executes ? opened(loop, question) : { kind: 'pass', request: whole, loop };
  }
  const plan = toolbox.plan(question.limits, { ...question.options, ...searchOptions(search) });
  if (plan.kind === 'defer') return opened({ kind: 'loop', request, wire, toolbox, plan }, question);
  const whole = question.whole?.(plan) ?? request;
  const rewriting = withoutSearch(plan, search?.kind === 'client' ? 'clients' : 'off');
  const loop: UnopenedLoop<Request, Part> = { kind: 'loop', request: whole, wire, toolbox, plan: rewriting };
  if (executes) return opened(isForeign ? loop : { ...loop, plan }, question);
  // Tools that are declared by other names are called by them: the loop translates that back.
  if (isForeign && isRenamed(plan)) return opened(loop, question);
  const rendered = renderOnce(isForeign ? loop : { ...loop, plan });
  return { kind: 'once', request: rendered, plan, isRewritten: isForeign, loop };
}

/**
 * The plan for a conversation whose earlier responses hid something from the client: it goes through the loop though nothing is
 * deferred any more, and the loop weaves that in. `isContinued` says that this is known already.
 */
export async function planHistory<Request, Part>(
  planned: Planned<Request, Part>,
  history: Omit<HistoryOptions<Request, Part>, 'wire' | 'request'> & { readonly isContinued?: boolean },
): Promise<Planned<Request, Part>> {
  if (planned.kind === 'loop' || history.transcript === undefined) return planned;
  const loop = planned.loop === undefined ? undefined : openable(planned.loop);
  if (loop === undefined) return planned;
  if (history.isContinued === true) return loop;
  if (planned.kind === 'pass') return planned;
  const { request } = await weaveHistory({ wire: loop.wire, request: loop.request, ...history });
  return request === loop.request ? planned : loop;
}

/** The request that its host is sent first. */
export function renderOnce<Request, Part>(
  planned: Pick<PlannedLoop<Request, Part>, 'request' | 'wire' | 'toolbox' | 'plan'>,
): Request {
  const { request, wire, toolbox, plan } = planned;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}

/** The tools were read before: of thousands, reading takes time. */
function opened<Request, Part>(
  loop: UnopenedLoop<Request, Part>,
  known: { readonly opened?: Opened } = {},
): PlannedLoop<Request, Part> {
  const { wire, request } = loop;
  return { ...loop, opened: known.opened ?? wire.open({ ...(request as object), tools: [] } as Request) };
}

/** Undefined for a request that no loop can serve. */
function openable<Request, Part>(loop: UnopenedLoop<Request, Part>): PlannedLoop<Request, Part> | undefined {
  try {
    return opened(loop);
  } catch {
    return undefined;
  }
}

/** For a request that goes to its host as it is, round after round. */
function untouched(toolbox: Toolbox): InlinePlan {
  const tokens = { before: 0, after: 0 };
  const reason = 'the host or the client searches by itself';
  return { kind: 'inline', snapshot: toolbox.snapshot(), shown: [], definitions: [], reason, tokens };
}

const renamed = new WeakMap<InlinePlan, boolean>();

/** Whether the model knows a tool by another name than the client does: in a namespace, too long, or of odd characters. */
function isRenamed(inline: InlinePlan): boolean {
  const known = renamed.get(inline) ?? inline.shown.some(({ tool, name }) => tool.name !== name);
  renamed.set(inline, known);
  return known;
}

/** What a plan needs to search under the names and by the engines of the tools that the client declared. */
function searchOptions(search: OpenedSearch | undefined): Pick<PlanOptions, 'engine' | 'searchName' | 'secondSearch'> {
  if (search?.kind !== 'hosted') return {};
  const { name: searchName, engine, also } = search;
  return {
    searchName,
    ...(engine === 'any' ? {} : { engine: engineOf(engine) }),
    ...(also === undefined ? {} : { secondSearch: { name: also.name, engine: engineOf(also.engine) } }),
  };
}

function engineOf(engine: 'regex' | 'bm25'): PlanEngine {
  return engine === 'regex' ? 'regex' : 'text';
}
