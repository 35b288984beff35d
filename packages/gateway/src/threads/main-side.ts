import type { MessagePort } from 'node:worker_threads';
import type { JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import {
  type DialectName,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  WrittenRequest,
} from '@quartermaster/host/upstream';
import type { ServerTool } from '@quartermaster/wires/dialect';
import { checkModel, type GatewayUpstream, type Upstreams } from '../configured-upstreams.ts';
import {
  type Continuation,
  clientOf,
  endingIterator,
  type ModelQuestion,
  type NamesServers,
  type OpenExchange,
  type Transcripts,
} from '../exchange/index.ts';
import { ApiError, createHistoryMeter } from '../http/index.ts';
import { portCalls } from './port-calls.ts';
import { storeHandlers } from './remote-transcripts.ts';
import { mainErrors } from './thread-errors.ts';
import type { OpenedJob, UpstreamFacts, WholeJob } from './thread-job.ts';

/** The worker's answer to the request. Undefined if it has to be answered here. */
export interface MainSide<Name extends DialectName> {
  open(): Promise<OpenExchange<Name> | NamesServers | undefined>;
  count(): Promise<number | NamesServers | undefined>;
}

/** The main thread's side of a request that a worker answers: calls models for the worker, and forwards its answers. */
export function mainSide<Name extends DialectName>(
  port: MessagePort,
  {
    question,
    upstreams,
    transcripts,
  }: { readonly question: ModelQuestion<Name>; readonly upstreams: Upstreams; readonly transcripts: Transcripts },
): MainSide<Name> {
  const { dialect, headers, access, onResponse, requestId } = question;
  const client = clientOf({ headers, onResponse, requestId });
  const stop = new AbortController();
  const history = createHistoryMeter();
  const streams: AsyncIterator<PartOf<Name>>[] = [];
  let upstream: GatewayUpstream | undefined;

  async function exchange() {
    if (upstream === undefined) throw new Error('The worker asks before it knows whom');
    return (await upstream.for(dialect.name)).forClient(client);
  }

  const worker = portCalls(port, {
    errors: mainErrors(),
    lost: () => stop.signal.reason ?? new ApiError(500, 'Internal error', { cause: new Error('The worker has ended') }),
    handlers: {
      async resolve(model: string): Promise<UpstreamFacts | undefined> {
        checkModel(model, access);
        upstream = await upstreams.resolve(model);
        if (upstream === undefined) return undefined;
        const { name, toolSearch, form, limits, offersTools } = upstream;
        const canCount = upstream.countTokens !== undefined;
        const takesWritten = await upstream.for(dialect.name).then(isTaking, () => false);
        const facts = { name, toolSearch, limits, canCount, takesWritten, ...defined({ form, offersTools }) };
        return { ...facts, capabilities: upstream.capabilities(dialect.name) };
      },
      countTokens: (request: Sent<'anthropic'>) =>
        upstream?.countTokens?.(read<'anthropic'>(request), { headers, signal: stop.signal }),
      async ask(request: Sent<Name>) {
        return streams.push((await exchange()).stream(read(request), stop.signal)[Symbol.asyncIterator]()) - 1;
      },
      async callServer({ tool, input }: { readonly tool: ServerTool; readonly input: JsonObject }) {
        if (typeof question.servers !== 'object') throw new Error('The worker calls a server that is not there');
        return question.servers.call(tool, input, stop.signal);
      },
      takeSearches: (count: number) => access.takeSearches?.(count),
      nextPart: (id: number) => streams[id]?.next(),
      ...storeHandlers(() => {
        const store = transcripts.storeFor?.(access.owner);
        return store && history.measured(store);
      }),
      transcriptFailed: (reason: string) => transcripts.onError?.(new Error(reason)),
      askWhole: async (request: Sent<Name>) => (await exchange()).whole(read(request), stop.signal),
    },
  });

  function end(reason?: unknown): void {
    stop.abort(reason);
    worker.close();
  }

  /** The port lives no longer than its request. */
  async function last<Value>(work: Promise<unknown>, signal: AbortSignal): Promise<Value> {
    follow(signal);
    try {
      return (await work) as Value;
    } finally {
      end();
    }
  }

  function follow(signal: AbortSignal): void {
    if (signal.aborted) end(signal.reason);
    else signal.addEventListener('abort', () => end(signal.reason), { once: true });
  }

  return {
    async open() {
      follow(question.signal);
      try {
        const opened = (await worker.call('open')) as OpenedJob;
        question.memory?.take(history.bytes);
        if (opened?.kind !== 'opened') {
          end();
          return opened;
        }
        let continuation: Continuation | undefined;
        return {
          kind: 'exchange',
          ...opened.facts,
          // A worker never answers a request that names a catalog.
          identify: (name) => ({ id: name, isFromCatalog: false }),
          async whole(signal) {
            const answer = await last<WholeJob<ResponseOf<Name>>>(worker.call('whole'), signal);
            continuation = answer.continuation;
            return answer.response;
          },
          continuation: () => continuation,
          stream(signal) {
            follow(signal);
            const next = async () => (await worker.call('next')) as IteratorResult<PartOf<Name>>;
            return endingIterator({ next }, end);
          },
        };
      } catch (error) {
        end();
        throw error;
      }
    },
    count: () => last(worker.call('count'), question.signal),
  };
}

/** A request as a worker sends it: as bytes if its host takes those. */
type Sent<Name extends DialectName> = RequestOf<Name> | Uint8Array<ArrayBuffer>;

function read<Name extends DialectName>(request: Sent<Name>): RequestOf<Name> {
  // `takesWritten` says that the upstream knows it.
  return request instanceof Uint8Array ? (new WrittenRequest(request) as unknown as RequestOf<Name>) : request;
}

const isTaking = ({ takesWritten }: { readonly takesWritten?: boolean }): boolean => takesWritten === true;
