import type { ToolOutcome } from '@quartermaster/core';
import { RequestError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import {
  type Asking,
  type DialectName,
  type DialectOf,
  type Dialects,
  type DialectUpstream,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  writeRequest,
} from '@quartermaster/host/upstream';
import type { Access, UsedUpLimit } from '../access/index.ts';
import type { GatewayUpstream } from '../configured-upstreams.ts';
import type { GatewayEvent } from '../events/index.ts';
import {
  createModelService,
  type ModelQuestion,
  type ModelServiceOptions,
  type NamesServers,
  type OpenExchange,
  type ServerTools,
  type Transcripts,
} from '../exchange/index.ts';
import { hasMoreValues } from '../http/index.ts';
import { type PortCalls, portCalls } from './port-calls.ts';
import { remoteStore } from './remote-transcripts.ts';
import { workerErrors } from './thread-errors.ts';
import type { OpenedJob, ThreadJob, UpstreamFacts, WholeJob } from './thread-job.ts';

export interface JobContext extends Pick<ModelServiceOptions, 'lists' | 'bodies' | 'maxRounds'> {
  readonly onEvent: (event: GatewayEvent) => void;
  readonly dialects: Dialects;
}

/** Thrown for a request that names catalogs: they are in the store, which only the main thread has. */
export class OnlyMainError extends Error {
  override readonly name = 'OnlyMainError';
}

/** Answers one request inside a worker. Models are called by the main thread, which has connections and keys. */
export function serveJob(job: ThreadJob, context: JobContext): void {
  const { port, dialect, headers, bytes, maxRounds, unavailable, access, requestId, roundsBefore, servers } = job;
  const stop = new AbortController();
  let exchange: OpenExchange<DialectName> | undefined;
  let parts: AsyncIterator<PartOf<DialectName>> | undefined;
  const main = portCalls(port, {
    errors: workerErrors,
    lost: () => new Error('The request is over'),
    handlers: {
      open: () =>
        unlessOnlyMain<OpenedJob>(async () => {
          const opened = await service.open(question);
          // The parsed body stays here: the main thread has the bytes.
          if (opened.kind === 'names-servers') return { kind: 'names-servers' };
          exchange = opened;
          const { model, upstream, isStream, hidesUsage, inputTokens } = exchange;
          return { kind: 'opened', facts: { model, upstream, isStream, hidesUsage, inputTokens } };
        }),
      count: () =>
        unlessOnlyMain<number | NamesServers>(async () => {
          const counted = await service.countTokens(question as unknown as ModelQuestion<'anthropic'>);
          return typeof counted === 'number' ? counted : { kind: 'names-servers' };
        }),
      async whole(): Promise<WholeJob<unknown>> {
        const response = await exchange?.whole(stop.signal);
        return { response, continuation: exchange?.continuation() };
      },
      next() {
        parts ??= exchange?.stream(stop.signal);
        return parts?.next();
      },
    },
  });
  port.on('close', () => stop.abort());
  // The main thread has the connections.
  const callServer: ServerTools['call'] = async (tool, input, signal) =>
    (await main.call('callServer', { tool, input }, signal)) as ToolOutcome;
  const service = createModelService({
    ...context,
    upstreams: { resolve: remoteUpstream(main), models: async () => [] },
    transcripts: remoteTranscripts(main),
  });
  const question: ModelQuestion<DialectName> = {
    dialect: context.dialects[dialect] as DialectOf<DialectName>,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
    access: { ...CHECKED_THERE, ...access, ...remoteSearches(main, access.limits) },
    signal: stop.signal,
    requestId,
    ...defined({ maxRounds, unavailable, roundsBefore }),
    ...(servers === undefined ? {} : { servers: { ...servers, call: callServer } }),
  };
}

function unlessOnlyMain<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
  return work().catch((error: unknown) => {
    if (error instanceof OnlyMainError) return undefined;
    throw error;
  });
}

/** Permissions are checked where the upstream is found. */
const CHECKED_THERE: Access = {
  ...{ owner: '', limits: {}, role: 'consumer' },
  isUnlimited: false,
  ...{ mayUseEndpoint: () => true, mayUseModel: () => true, mayUseCatalog: () => false, mayWriteCatalog: () => false },
};

/** The main thread counts for all workers. */
function remoteSearches(main: PortCalls, limits: Access['limits']): Pick<Access, 'takeSearches'> {
  if (limits.searchesPerMinute === undefined) return {};
  return { takeSearches: async (count) => (await main.call('takeSearches', count)) as UsedUpLimit | undefined };
}

/** The main thread knows the owner. */
function remoteTranscripts(main: PortCalls): Transcripts {
  return {
    storeFor: () => remoteStore(main),
    onError: (error) => {
      main.call('transcriptFailed', String(error)).catch(() => undefined);
    },
  };
}

function remoteUpstream(main: PortCalls): (model: string) => Promise<GatewayUpstream | undefined> {
  return async (model) => {
    const facts = (await main.call('resolve', model)) as UpstreamFacts | undefined;
    if (facts === undefined) return undefined;
    const { capabilities, canCount, takesWritten, ...rest } = facts;
    return {
      ...rest,
      capabilities: () => capabilities,
      for: async (dialect) => remoteExchange(main, dialect, takesWritten),
      ...(canCount ? { countTokens: remoteCount(main, takesWritten) } : {}),
    };
  };
}

function remoteCount(main: PortCalls, takesWritten: boolean): NonNullable<GatewayUpstream['countTokens']> {
  return async (request) => {
    const sent = takesWritten ? bytesOf('anthropic', request, 'count') : request;
    return (await main.call('countTokens', sent)) as number;
  };
}

/** The main thread translates requests to hosts of other protocols. It reads so many values in less than a tenth of a second. */
const MOST_VALUES = 200_000;
const TOO_MANY_VALUES = `The request has more than ${MOST_VALUES.toLocaleString('en')} JSON values, too many for a model whose host speaks another protocol. Send fewer messages, or define fewer tools in the request`;

/** The body as bytes, which the main thread sends without reading the values in it. */
function bytesOf<Name extends DialectName>(dialect: Name, request: RequestOf<Name>, asking: Asking): Uint8Array {
  const body = writeRequest(dialect, request, asking);
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

function remoteExchange<Name extends DialectName>(
  main: PortCalls,
  dialect: Name,
  takesWritten: boolean,
): DialectUpstream<Name> {
  function sent(request: RequestOf<Name>, asking: Asking): unknown {
    if (takesWritten) return bytesOf(dialect, request, asking);
    if (hasMoreValues(request, MOST_VALUES)) throw new RequestError('invalid_request', TOO_MANY_VALUES);
    return request;
  }
  const exchange: DialectUpstream<Name> = {
    dialect,
    transport: 'remote',
    async *stream(request: RequestOf<Name>) {
      const id = await main.call('ask', sent(request, 'stream'));
      for (;;) {
        const result = (await main.call('nextPart', id)) as IteratorResult<PartOf<Name>>;
        if (result.done === true) return;
        yield result.value;
      }
    },
    whole: async (request) => (await main.call('askWhole', sent(request, 'whole'))) as ResponseOf<Name>,
    forClient: () => exchange,
  };
  return exchange;
}
