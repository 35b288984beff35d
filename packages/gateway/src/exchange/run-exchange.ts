import type { Plan } from '@quartermaster/core';
import {
  chooseForm,
  type DeferPlan,
  type Form,
  type Memory,
  measureReach,
  type View,
} from '@quartermaster/core/disclosure';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import { defined, matchLine, memoized, planRequestInSteps } from '@quartermaster/core/internal';
import {
  type LoopOptions,
  type LoopRound,
  type OpenedSearch,
  type Planned,
  runLoop,
  runWhole,
} from '@quartermaster/core/loop';
import type {
  DialectName,
  DialectOf,
  DialectUpstream,
  PartOf,
  RequestOf,
  ResponseOf,
} from '@quartermaster/host/upstream';
import type { UsageFacts } from '@quartermaster/wires/dialect';
import type { UsedUp } from '../access/index.ts';
import type { ToolList } from '../catalogs/index.ts';
import type { GatewayUpstream } from '../configured-upstreams.ts';
import { type EventOf, type GatewayEvent, planCost } from '../events/index.ts';
import { type ApiError, toApiError } from '../http/index.ts';
import type { OpenExchange } from './models.ts';

/** A planned request, and where it is answered. */
export interface PlannedExchange<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly planned: Planned<RequestOf<Name>, PartOf<Name>>;
  readonly exchange: DialectUpstream<Name>;
}

/** How the loop runs, if there is one. */
export type LoopSettings<Name extends DialectName> = Pick<
  LoopOptions<RequestOf<Name>, PartOf<Name>>,
  | ('asked' | 'maxRounds' | 'prefetch' | 'isLocal' | 'execute' | 'transcript' | 'storesResponses')
  | ('onTranscriptError' | 'caller' | 'onRound' | 'onPause')
>;

/** The parts of one response. */
export function streamExchange<Name extends DialectName>(
  { dialect, planned, exchange }: PlannedExchange<Name>,
  settings: LoopSettings<Name>,
  signal: AbortSignal,
): AsyncIterator<PartOf<Name>> {
  if (planned.kind !== 'loop') return exchange.stream(planned.request, signal)[Symbol.asyncIterator]();
  return runLoop({ ...settings, ...planned, wire: dialect.wire, upstream: exchange.stream, signal });
}

/** One whole response. */
export function runExchange<Name extends DialectName>(
  { dialect, planned, exchange }: PlannedExchange<Name>,
  settings: LoopSettings<Name>,
  signal: AbortSignal,
): Promise<ResponseOf<Name>> {
  if (planned.kind !== 'loop') return exchange.whole(planned.request, signal);
  const { wire, whole } = dialect;
  return runWhole({ ...settings, ...planned, wire, whole, upstream: exchange.whole, signal });
}

interface ExchangeQuestion<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly request: RequestOf<Name>;
  readonly list: ToolList;
  readonly upstream: GatewayUpstream;
  /** Whether some of the tools are executed here, inside the loop. */
  readonly executes: boolean;
}

/** Decides for each request, from what it declares and what its host supports. Yields wherever it may be interrupted. */
export function planExchange<Name extends DialectName>(
  question: ExchangeQuestion<Name>,
): Generator<void, Planned<RequestOf<Name>, PartOf<Name>>> {
  const { dialect, request, list, upstream, executes } = question;
  const { api, wire } = dialect;
  const can = upstream.capabilities(dialect.name);
  api.refuse?.(request, can);
  const { search: asked, opened } = api.openSearch(request, list.searchTools);
  // Only we can search a named catalog.
  const search = list.hasCatalogs && asked?.kind === 'client' ? undefined : asked;
  const isHosts = upstream.toolSearch === 'upstream' || search?.kind === 'client';
  return planRequestInSteps<RequestOf<Name>, PartOf<Name>>({
    ...{ wire, search, executes, toolbox: list.toolbox, limits: upstream.limits, ...defined({ opened }) },
    request: list.hasCatalogs ? { ...request, tools: list.declared } : request,
    options: { form: formFor(question, search), describe: api.describe },
    isServed: isHosts && api.isServed(search, can),
    // A host that knows the dialect's tool search knows all of it.
    isForeign: !can.references && !can.deferMark,
    whole: () => (list.hasCatalogs ? { ...request, tools: list.definitions() } : request),
  });
}

/** A host with references gets them; for others the settings decide, then the dialect. A client that searches itself has decided. */
function formFor<Name extends DialectName>(
  { dialect, upstream }: ExchangeQuestion<Name>,
  search: OpenedSearch | undefined,
): Form {
  const can = upstream.capabilities(dialect.name);
  const isChosen = upstream.form !== undefined && search?.kind !== 'client' && !can.references && !can.clientSearch;
  return isChosen ? chooseForm(can, upstream.form).form : dialect.api.form(can, search);
}

/** The decision, for events. */
export function describePlan(planned: Planned<object, unknown>): PlanDescription {
  return planned.kind === 'pass' ? PASSED_ON : describeOnce(planned.plan);
}

type PlanDescription = Omit<EventOf<'plan-decide'>, 'kind' | 'requestId' | 'catalogs'>;

const PASSED_ON: PlanDescription = { decision: 'pass', reason: 'the host or the client searches by itself' };

/** Requests with the same tools share a plan. */
const describeOnce = memoized((plan: Plan): PlanDescription => {
  const { reason } = plan;
  const cost = planCost(plan);
  if (plan.kind === 'inline' || plan.deferred.size === 0) return { decision: 'inline', reason, cost };
  const { hidden, reveal, invoke } = plan.form;
  return { decision: 'defer', reason, form: `${hidden} ${reveal} ${invoke}`, cost, deferred: plan.deferred.size };
});

/** What a call to the model costs because of tool search, as an event. */
export function roundEvent(
  { round: number, request, memory, view }: LoopRound<object>,
  {
    requestId,
    plan,
    roundsBefore = 0,
  }: { readonly requestId: string; readonly plan: Plan; readonly roundsBefore?: number | undefined },
): GatewayEvent {
  const round = number + roundsBefore;
  const head = { kind: 'model-round-start', requestId, round } as const;
  if (plan.kind === 'inline') return { ...head, tokens: 0, revealed: 0, carried: 0, offered: 0 };
  const declared = plan.form.reveal === 'answer' ? NONE : declaredTokens(plan, view, memory);
  if (round > 1) {
    const tokens = tokensWithoutTools(request) - noteTokens(plan);
    return { ...head, tokens, revealed: declared.known + declared.offered, carried: 0, offered: 0 };
  }
  return {
    ...head,
    tokens: 0,
    revealed: 0,
    carried: searchTokens(memory) + (plan.form.reveal === 'answer' ? answerTokens(plan, memory) : declared.known),
    offered: declared.offered + (view.tail === undefined ? 0 : estimateTokens(view.tail)),
    earlier: measureReach([memory]),
  };
}

const NONE = { known: 0, offered: 0 };

/** Definitions that are sent beside the messages: those that the conversation knows, and those that are offered before it has searched. */
function declaredTokens({ snapshot }: DeferPlan, { revealed }: View, memory: Memory): typeof NONE {
  if (revealed.length === 0) return NONE;
  const { byTool } = snapshotTokens(snapshot);
  const known = new Set(memory.known);
  const tokens = { known: 0, offered: 0 };
  for (const { tool, name } of revealed) tokens[known.has(name) ? 'known' : 'offered'] += byTool.get(tool) ?? 0;
  return tokens;
}

/** The earlier searches themselves, without what they found. */
function searchTokens({ searches }: Memory): number {
  let tokens = 0;
  for (const { query } of searches) tokens += SEARCH_TOKENS + estimateTokens(query);
  return tokens;
}

/** The call of a search and the frame of its answer, as JSON: types, names and ids. */
const SEARCH_TOKENS = 50;

/**
 * What earlier answers added to this conversation. Where the model can have tools described, an answer has a line for each, and those
 * that were called were described.
 */
function answerTokens({ snapshot, own }: DeferPlan, { revealed, called }: Memory): number {
  if (revealed.length === 0) return 0;
  const { byTool } = snapshotTokens(snapshot);
  const isLine = own.some(({ role }) => role === 'describe');
  const described = new Set(called);
  let tokens = 0;
  for (const name of revealed) {
    const tool = snapshot.resolve(name);
    if (tool === undefined) continue;
    tokens += isLine && !described.has(name) ? estimateTokens(matchLine({ tool, name })) : (byTool.get(tool) ?? 0);
  }
  return tokens;
}

/** Counted with what is declared, although it is in the system prompt. */
function noteTokens({ note }: DeferPlan): number {
  return note === undefined ? 0 : estimateTokens(note);
}

/** Only rounds after the first are measured. From lengths that are known anyway: serializing a conversation takes time. */
function tokensWithoutTools(request: object): number {
  const { tools: _, ...rest } = request as { readonly [field: string]: unknown };
  return estimateTokens({ length: jsonLength(rest) });
}

/** About how long the value is as JSON: what escaping adds is not counted. Not recursive: it may nest as deep as its host takes. */
function jsonLength(value: unknown): number {
  const open: unknown[] = [value];
  let length = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length + QUOTES;
    else if (typeof next !== 'object' || next === null) length += SCALAR;
    else if (Array.isArray(next)) {
      length += BRACKETS + next.length * COMMA;
      for (const item of next) open.push(item);
    } else {
      length += BRACKETS;
      for (const [key, item] of Object.entries(next)) {
        length += key.length + QUOTES + COLON + COMMA;
        open.push(item);
      }
    }
  }
  return length;
}

const [QUOTES, BRACKETS, COMMA, COLON] = [2, 2, 1, 1];
/** The usual length of a number, a boolean or null. */
const SCALAR = 4;

interface StreamOptions<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  /** The first part has already arrived: an upstream's refusal must be answered with its own status. */
  readonly first: IteratorResult<PartOf<Name>>;
  readonly rest: AsyncIterator<PartOf<Name>>;
  /** After this long without a part a ping is sent. */
  readonly pingMs: number;
  readonly onPart: (part: PartOf<Name>) => void;
  /** Called once, however it ends: without an error if it ended normally, or if the client left. */
  readonly onEnd: (error?: ApiError) => void;
  /** Ends the work upstream. */
  readonly abort: () => void;
}

/** A stream of events. Parts are produced as fast as the client reads them, and no faster. */
export function streamBody<Name extends DialectName>(options: StreamOptions<Name>): ReadableStream<Uint8Array> {
  const { dialect, rest, pingMs, onPart, onEnd, abort } = options;
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<PartOf<Name>>> = Promise.resolve(options.first);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        const result = await within(pending, pingMs);
        if (result === 'late') return send(dialect.endpoint.ping);
        if (result.done === true) {
          if (dialect.endpoint.streamEnd !== '') send(dialect.endpoint.streamEnd);
          controller.close();
          onEnd();
          return;
        }
        onPart(result.value);
        send(dialect.endpoint.writePart(result.value));
        pending = rest.next();
        pending.catch(() => undefined);
      } catch (error) {
        const told = toApiError(error);
        send(dialect.api.writeError(told));
        controller.close();
        onEnd(told);
      }
    },
    async cancel() {
      // Before any wait: an iterator's return waits behind its pending step.
      abort();
      onEnd();
      await rest.return?.();
    },
  });
}

function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The usage of a response, read from its parts as they pass. What they don't report is estimated. */
interface Tally<Part> {
  add(part: Part): void;
  readonly used: UsedUp;
  /** The ids of all tools that it calls, for events: the first hundred. */
  readonly called: readonly string[];
}

const MOST_CALLS = 100;

/** @param rounds how many times a model has begun to answer, as far as that is known */
export function tallyUse<Name extends DialectName>(
  dialect: DialectOf<Name>,
  { identify, inputTokens: perRound }: Pick<OpenExchange<Name>, 'identify' | 'inputTokens'>,
  rounds: () => number = () => 0,
): Tally<PartOf<Name>> {
  const tools: string[] = [];
  const called: string[] = [];
  let told: UsageFacts = {};
  let written = 0;
  let hasBegun = false;
  let isComplete = false;
  return {
    /** A response that was cut, or whose client left, has reported less than it used: the rest would be free. */
    get used() {
      const { inputTokens: read = 0, outputTokens: wrote = 0, searches = 0 } = told;
      const asked = Math.max(rounds(), hasBegun ? 1 : 0);
      const untold = read === 0 ? asked : isComplete ? 0 : Math.max(0, asked - 1);
      const isTold = isComplete && wrote > 0;
      return {
        inputTokens: read + untold * perRound,
        outputTokens: isTold ? wrote : Math.max(wrote, estimateTokens({ length: written })),
        searches,
        tools,
      };
    },
    called,
    add(part) {
      hasBegun = true;
      isComplete ||= dialect.endpoint.isComplete(part);
      written += dialect.api.writtenLength(part);
      for (const name of dialect.api.readCalls(part)) {
        const { id, isFromCatalog } = identify(name);
        if (isFromCatalog) tools.push(name);
        if (called.length < MOST_CALLS) called.push(id);
      }
      const usage = dialect.api.readUsage(part);
      if (usage !== undefined) told = { ...told, ...usage };
    },
  };
}
