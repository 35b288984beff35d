import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { estimateTokens } from '@quartermaster/core/gate';
import { defined, memoized, runInSlices } from '@quartermaster/core/internal';
import {
  type Planned,
  planHistory,
  renderOnce,
  resolveReferences,
  type TranscriptStore,
  weaveHistory,
} from '@quartermaster/core/loop';
import type { DialectName, DialectOf, RequestOf, UpstreamClient } from '@quartermaster/host/upstream';
import { isToolset } from '@quartermaster/wires/anthropic';
import { type Access, countsTokens, searchAdmission } from '../access/index.ts';
import type { BodyReader, ReadBody, ToolList, ToolLists } from '../catalogs/index.ts';
import { type GatewayUpstream, type Upstreams, upstreamOf } from '../configured-upstreams.ts';
import type { GatewayEvent } from '../events/index.ts';
import { createHistoryMeter, refuseManyValues, releaseBodyMemory } from '../http/index.ts';
import { withInput } from '../stored/index.ts';
import type {
  Connector,
  Continuation,
  HeldModels,
  ModelQuestion,
  NamesServers,
  PlainModelService,
  RemoteModelService,
  ServerTools,
} from './models.ts';
import {
  describePlan,
  type LoopSettings,
  type PlannedExchange,
  planExchange,
  roundEvent,
  runExchange,
  streamExchange,
} from './run-exchange.ts';

export interface ModelServiceOptions {
  readonly upstreams: Upstreams;
  readonly lists: ToolLists;
  readonly bodies: BodyReader;
  /** How many times a model is called for one response. */
  readonly maxRounds: number;
  /** Keeps the parts of responses that clients are not shown. @default nothing is kept */
  readonly transcripts?: Transcripts | undefined;
  /** Receives the events of each request that has an id. */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
}

/** Where parts of responses are kept until clients send them back. */
export interface Transcripts {
  /** One key's entries: no key finds another's. */
  readonly storeFor: ((owner: string) => TranscriptStore) | undefined;
  /** Called if a store fails or takes too long; the request is served without it. */
  onError?(error: unknown): void;
}

interface Prepared<Name extends DialectName> extends PlannedExchange<Name> {
  readonly model: string;
  readonly upstream: GatewayUpstream;
  readonly identify: ToolList['identify'];
  readonly hidesUsage: boolean;
  /** The named catalogs among the tools. */
  readonly catalogs: readonly string[];
}

export function createModelService(options: ModelServiceOptions): PlainModelService {
  const { bodies, transcripts } = options;
  /** Without keys every request has the same access. */
  const storeOf = memoized((access: Access) => transcripts?.storeFor?.(access.owner));
  const kept = ({ access }: { readonly access: Access }) => {
    const history = createHistoryMeter();
    const store = storeOf(access);
    return {
      ...{ transcript: store && history.measured(store), onTranscriptError: transcripts?.onError },
      history,
    };
  };
  /** The body, or what is to be decided before it is read any further. */
  const read = ({ body, bytes, access, servers, dialect }: ModelQuestion<DialectName>): ReadBody | NamesServers => {
    const given = body ?? bodies.read(bytes, access.owner);
    const isUndecided = servers === undefined && dialect.api.namesServers?.(given.value) === true;
    return isUndecided ? { kind: 'names-servers', value: given.value } : given;
  };
  return {
    async open(question) {
      const { dialect, servers, requestId } = question;
      const { onEvent } = options;
      const given = read(question);
      if ('kind' in given) return given;
      const { history, transcript, onTranscriptError } = kept(question);
      const asked = given.value as unknown as RequestOf<typeof dialect.name>;
      const value = await resolveReferences({ wire: dialect.wire, request: asked, transcript, onTranscriptError });
      // Some APIs list the client's own items with a stored response.
      const storedWith = (store: TranscriptStore | undefined): TranscriptStore | undefined =>
        store === undefined || dialect.api.isStored === undefined ? store : withInput(store, given.value, body.value);
      const body: ReadBody = { ...given, value: value as unknown as JsonObject };
      let continuation: Continuation | undefined;
      const first = await prepare(question, body, options);
      const planned = await planHistory(first.planned, {
        ...{ transcript, onTranscriptError },
        isContinued: value !== asked || isContinued(first),
      });
      question.memory?.take(history.bytes);
      const prepared = { ...first, planned };
      if (requestId !== undefined && onEvent !== undefined) {
        const { decision, reason, form, cost, deferred } = describePlan(planned);
        const catalogs = first.catalogs.length === 0 ? undefined : first.catalogs;
        onEvent({ kind: 'plan-decide', requestId, decision, reason, form, cost, deferred, catalogs });
      }
      const { access, roundsBefore } = question;
      const isReported = requestId !== undefined && onEvent !== undefined && planned.kind === 'loop';
      const loop: LoopSettings<typeof dialect.name> = {
        ...(typeof servers === 'object' ? localTools(servers) : {}),
        maxRounds: question.maxRounds ?? options.maxRounds,
        caller: { ...defined({ id: access.owner, requestId }), ...searchAdmission(access) },
        ...defined({ prefetch: prepared.upstream.offersTools, asked: value === asked ? undefined : asked }),
        ...defined({ transcript: storedWith(transcript), onTranscriptError }),
        storesResponses: transcript !== undefined,
        ...(isReported
          ? { onRound: (round) => onEvent(roundEvent(round, { requestId, plan: planned.plan, roundsBefore })) }
          : {}),
      };
      return {
        kind: 'exchange',
        model: prepared.model,
        upstream: prepared.upstream.name,
        isStream: body.value.stream === true,
        identify: prepared.identify,
        hidesUsage: prepared.hidesUsage,
        inputTokens: estimateInput(planned, { bytes: question.bytes.length, toolsBytes: body.toolsBytes }),
        stream: (signal) => streamExchange(prepared, loop, signal),
        whole(signal) {
          const onPause: LoopSettings<typeof dialect.name>['onPause'] = ({ before, after }) => {
            continuation = continuationOf(before, after);
          };
          return runExchange(prepared, { ...loop, onPause }, signal);
        },
        continuation: () => continuation,
      };
    },
    async countTokens(question) {
      const body = read(question);
      if ('kind' in body) return body;
      // A count has no answer, and so no limit on one.
      const value: JsonObject = { max_tokens: 1, ...body.value };
      const { dialect, planned, upstream } = await prepare(question, { ...body, value }, options);
      const { history, ...stored } = kept(question);
      const { request } = await weaveHistory({ wire: dialect.wire, request: planned.request, ...stored });
      question.memory?.take(history.bytes);
      const rendered = planned.kind === 'loop' ? renderOnce({ ...planned, request }) : request;
      if (upstream.countTokens === undefined) return estimateRequest(rendered);
      const { max_tokens: _, stream: __, ...counted } = rendered;
      return upstream.countTokens(counted, question);
    },
  };
}

function continuationOf(before: object, after: object): Continuation | undefined {
  const known = before as { readonly [key: string]: Json | undefined };
  const { messages, ...rest } = after as { readonly [key: string]: Json };
  if (!Array.isArray(known.messages) || !Array.isArray(messages)) return undefined;
  const fields = Object.fromEntries(Object.entries(rest).filter(([key, value]) => value !== known[key]));
  return { messages: messages.slice(known.messages.length), fields };
}

/** Whether the client may continue from this response, and its host stores none: then the loop keeps what that needs. */
function isContinued<Name extends DialectName>({ dialect, planned }: Prepared<Name>): boolean {
  return planned.kind === 'once' && planned.isRewritten && dialect.api.isStored?.(planned.loop.request) === true;
}

async function prepare<Name extends DialectName>(
  { dialect: spoken, servers, headers, access, requestId, onResponse, unavailable = [] }: ModelQuestion<Name>,
  body: ReadBody,
  { lists, upstreams }: ModelServiceOptions,
): Promise<Prepared<Name>> {
  const { value } = body;
  const executes = typeof servers === 'object';
  const dialect = executes ? { ...spoken, ...spoken.withServers?.(servers) } : spoken;
  const request = value as unknown as RequestOf<Name>;
  const { list, isKnown, catalogs } = await lists.listFor({
    dialect,
    request,
    definitions: Array.isArray(value.tools) ? value.tools : [],
    key: keyOf(dialect, body),
    bytes: body.toolsBytes,
    unavailable,
    rights: access,
    check({ declared, hasCatalogs }) {
      const tools = Array.isArray(value.tools) ? declared : value.tools;
      // A catalog may have lost a tool that the history refers to: that is not the client's mistake.
      dialect.api.validate({ ...value, tools } as JsonObject, { headers, isKnown: () => hasCatalogs });
    },
  });
  if (isKnown) {
    const snapshot = list.toolbox.snapshot();
    // Toolsets stay: the tools of their servers are in no list, and references to them are valid.
    const tools = (Array.isArray(value.tools) ? value.tools : []).filter(isToolset);
    dialect.api.validate({ ...value, tools } as JsonObject, {
      headers,
      isKnown: (name) => list.hasCatalogs || snapshot.resolve(name) !== undefined,
    });
  }
  const model = String(value.model);
  const upstream = await upstreamOf(upstreams, model, access);
  const metered = countsTokens(access.limits) ? dialect.api.metered?.(request) : undefined;
  const planned = await runInSlices(planExchange({ dialect, request: metered ?? request, list, upstream, executes }));
  const exchange = (await upstream.for(dialect.name)).forClient(clientOf({ headers, onResponse, requestId }));
  const { identify } = list;
  return { dialect, model, upstream, exchange, planned, identify, hidesUsage: metered !== undefined, catalogs };
}

/** What an upstream learns about the client of a request. */
export function clientOf({
  headers,
  onResponse,
  requestId,
}: Pick<ModelQuestion<DialectName>, 'headers' | 'onResponse' | 'requestId'>): UpstreamClient {
  let hasBegun = false;
  return {
    headers,
    ...defined({ requestId }),
    hasBegun: () => hasBegun,
    onResponse(response) {
      hasBegun ||= response.status < 400;
      onResponse?.(response);
    },
  };
}

/** How the loop executes calls to the servers. In the snapshot their tools have the names that the model sees. */
function localTools({ tools, call }: ServerTools): Pick<LoopSettings<DialectName>, 'isLocal' | 'execute'> {
  const byName = new Map(tools.map((tool) => [tool.modelName, tool]));
  return {
    isLocal: ({ name }) => byName.has(name),
    async execute({ tool, name, arguments: input }, signal) {
      const called = byName.get(tool.name);
      return called === undefined ? { text: `There is no tool ${name}`, isError: true } : call(called, input, signal);
    },
  };
}

/** Only their text identifies tools, but not if some of them are in the messages. */
function keyOf<Name extends DialectName>(dialect: DialectOf<Name>, body: ReadBody): string | undefined {
  if (body.value.tools === undefined) return 'none';
  const hasAll = dialect.api.hasAllTools?.(body.value as unknown as RequestOf<Name>) ?? true;
  return hasAll ? body.toolsKey : undefined;
}

/** From lengths that are known anyway: serializing a conversation takes time. */
function estimateInput(
  planned: Planned<object, unknown>,
  { bytes, toolsBytes }: { readonly bytes: number; readonly toolsBytes: number },
): number {
  const tools = planned.kind === 'pass' ? estimateTokens({ length: toolsBytes }) : planned.plan.tokens.after;
  return estimateTokens({ length: Math.max(0, bytes - toolsBytes) }) + tools;
}

function estimateRequest({ system, messages, tools }: RequestOf<'anthropic'>): number {
  const parts = [system, messages, tools].filter((part) => part !== undefined);
  return parts.reduce((sum: number, part) => sum + estimateTokens(JSON.stringify(part)), 0);
}

/** Chooses for each request: this thread, or another for a large body, and the connector if it names MCP servers. */
export function createModels(options: {
  readonly here: PlainModelService;
  /** @default everything is answered here */
  readonly workers?: RemoteModelService | undefined;
  /** Bodies of at least this size go to a worker. */
  readonly offThreadBytes: number;
  readonly connector: (models: PlainModelService) => Connector;
}): HeldModels & { hold(signal: AbortSignal): HeldModels } {
  const { here, workers, offThreadBytes } = options;
  // A worker need not know of servers that the host calls: they are rare.
  const isLarge = ({ bytes, body, servers }: ModelQuestion<DialectName>): boolean =>
    bytes.length + (body?.toolsBytes ?? 0) >= offThreadBytes && servers !== 'host';
  /** What a worker can't answer is read here, and everyone else waits. */
  const checkSize = ({ bytes, body }: ModelQuestion<DialectName>): void => {
    if (workers === undefined || body !== undefined || bytes.length < offThreadBytes) return;
    refuseManyValues(bytes, 'A request that names a catalog or MCP servers');
  };
  const plain: PlainModelService = {
    async open(question) {
      const there = isLarge(question) ? await workers?.open(question) : undefined;
      if (there === undefined) checkSize(question);
      const opened = there ?? (await here.open(question));
      // Not after a failure: a worker may still be reading the body. Nor if the question comes back with its servers.
      if (opened.kind === 'exchange') releaseBodyMemory(question.bytes);
      return opened;
    },
    async countTokens(question) {
      const there = isLarge(question) ? await workers?.countTokens(question) : undefined;
      if (there === undefined) checkSize(question);
      const counted = there ?? (await here.countTokens(question));
      if (typeof counted === 'number') releaseBodyMemory(question.bytes);
      return counted;
    },
  };
  const connecting = (connector: Connector): HeldModels => ({
    close: connector.close,
    async open(question) {
      const opened = await plain.open(question);
      return opened.kind === 'exchange' ? opened : connector.open(question, opened);
    },
    async countTokens(question) {
      const counted = await plain.countTokens(question);
      return typeof counted === 'number' ? counted : connector.countTokens(question, counted);
    },
  });
  const connector = options.connector(plain);
  return { ...connecting(connector), hold: (signal) => connecting(connector.hold(signal)) };
}
