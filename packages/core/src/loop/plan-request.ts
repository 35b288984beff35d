import { type InlinePlan, type Plan, type PlanEngine, withoutSearch } from '../disclosure/index.ts';
import type { PlanOptions, Toolbox } from '../dispatch/index.ts';
import type { ModelLimits } from '../gate/index.ts';
import { memoized } from '../memoized.ts';
import { runToEnd } from '../slices.ts';
import type { Opened, OpenedSearch, Wire } from './wire.ts';
import { type HistoryOptions, weaveHistory } from './woven-history.ts';

/** The input of `planRequest`: the request, its dialect, and what its host and settings allow. */
export interface PlanQuestion<Request, Part> {
  readonly wire: Wire<Request, Part>;
  readonly request: Request;
  readonly toolbox: Toolbox;
  readonly limits: ModelLimits;
  /** The request as the wire opened it. @default it is opened if the loop has to serve it */
  readonly opened?: Opened;
  /** How the client searches, if it says so. */
  readonly search?: OpenedSearch | undefined;
  /** The form, the caller and everything else that a plan depends on. */
  readonly options: PlanOptions;
  /** Whether the host, or the client itself, does all that the request asks for. @default false */
  readonly isServed?: boolean;
  /** Whether the host would reject the request's parts of tool search: marks, search tools, past searches. @default false */
  readonly isForeign?: boolean;
  /** Whether there are calls to answer even if nothing is deferred: tools that are executed inside the loop. @default false */
  readonly executes?: boolean;
  /** The request with every tool in it, if some are elsewhere. @default the request */
  whole?(plan?: InlinePlan): Request;
}

/** What happens to a request. */
export type Planned<Request, Part> =
  /** It is forwarded unchanged: the host or the client itself searches. */
  | {
      readonly kind: 'pass';
      readonly request: Request;
      /** The same through the loop, for a conversation that is stored here: the host does not know it. */
      readonly loop?: UnopenedLoop<Request, Part>;
    }
  /** It is sent once, with every tool in it. */
  | {
      readonly kind: 'once';
      readonly request: Request;
      readonly plan: InlinePlan;
      /** Whether it was rewritten for a host without tool search. */
      readonly isRewritten: boolean;
      /** The same through the loop, for a conversation with hidden parts: later calls to our tools are answered. */
      readonly loop: UnopenedLoop<Request, Part>;
    }
  | PlannedLoop<Request, Part>;

/** The model's calls to our tools are answered here. */
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
 * Decides what happens to a request: pass it on, send it once with every tool in it, or run the loop. The same for every surface.
 * Throws the wire's error for a request that no loop can serve.
 */
export function planRequest<Request, Part>(question: PlanQuestion<Request, Part>): Planned<Request, Part> {
  return runToEnd(planRequestInSteps(question));
}

/** The same with a yield wherever it may be interrupted, for catalogs so large that others would wait. */
export function* planRequestInSteps<Request, Part>(
  question: PlanQuestion<Request, Part>,
): Generator<void, Planned<Request, Part>> {
  const { wire, request, toolbox, search, isForeign = false, executes = false } = question;
  if (question.isServed === true) {
    const whole = question.whole?.() ?? request;
    const loop = { kind: 'loop', request: whole, wire, toolbox, plan: untouched(toolbox) } as const;
    return executes ? opened(loop, question) : { kind: 'pass', request: whole, loop };
  }
  const plan = yield* toolbox.planInSteps(question.limits, { ...question.options, ...searchOptions(search) });
  if (plan.kind === 'defer') return opened({ kind: 'loop', request, wire, toolbox, plan }, question);
  const whole = question.whole?.(plan) ?? request;
  const rewriting = withoutSearch(plan, search?.kind === 'client' ? 'clients' : wire.searchNames);
  const loop: UnopenedLoop<Request, Part> = { kind: 'loop', request: whole, wire, toolbox, plan: rewriting };
  if (executes) return opened(isForeign ? loop : { ...loop, plan }, question);
  // Tools that are declared under other names are called by those: the loop translates them back.
  if (isForeign && isRenamed(plan)) return opened(loop, question);
  const rendered = renderOnce(isForeign ? loop : { ...loop, plan });
  return { kind: 'once', request: rendered, plan, isRewritten: isForeign, loop };
}

/**
 * The plan for a conversation whose earlier responses had hidden parts, or searches: it goes through the loop, although nothing is
 * deferred any more. The loop restores what was hidden, and answers a model that searches again. `isContinued` says that there are
 * hidden parts.
 */
export async function planHistory<Request, Part>(
  planned: Planned<Request, Part>,
  history: Omit<HistoryOptions<Request, Part>, 'wire' | 'request'> & { readonly isContinued?: boolean },
): Promise<Planned<Request, Part>> {
  if (planned.kind === 'loop') return planned;
  const hasSearched = planned.kind === 'once' && planned.isRewritten && searchesIn(planned.loop) > 0;
  if (history.transcript === undefined && !hasSearched) return planned;
  const loop = planned.loop === undefined ? undefined : openable(planned.loop);
  if (loop === undefined) return planned;
  if (hasSearched || history.isContinued === true) return loop;
  if (planned.kind === 'pass') return planned;
  const { request } = await weaveHistory({ wire: loop.wire, request: loop.request, ...history });
  return request === loop.request ? planned : loop;
}

/** How many searches the messages show. */
function searchesIn<Request, Part>({ request, wire, plan }: UnopenedLoop<Request, Part>): number {
  return wire.recall(request, plan).searches.length;
}

/** The first request that its host receives. */
export function renderOnce<Request, Part>(
  planned: Pick<PlannedLoop<Request, Part>, 'request' | 'wire' | 'toolbox' | 'plan'>,
): Request {
  const { request, wire, toolbox, plan } = planned;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}

/** The tools were read before: reading thousands of them takes time. */
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

/** For a request that is forwarded unchanged, round after round. */
function untouched(toolbox: Toolbox): InlinePlan {
  const tokens = { before: 0, after: 0 };
  const reason = 'the host or the client searches by itself';
  return { kind: 'inline', snapshot: toolbox.snapshot(), shown: [], definitions: [], reason, tokens };
}

/** Whether the model knows a tool by another name than the client does: in a namespace, too long, or with odd characters. */
const isRenamed = memoized(({ shown }: InlinePlan) => shown.some(({ tool, name }) => tool.name !== name));

/** What a plan needs to search with the names and engines of the client's search tools. */
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
