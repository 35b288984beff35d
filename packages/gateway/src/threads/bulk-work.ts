import { MessageChannel } from 'node:worker_threads';
import { parseTools } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { NewBatchItem } from '@quartermaster/host/store';
import { readBatch } from '../batches/index.ts';
import { readUpload, type UploadedCatalog } from '../catalogs/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import { ApiError, parseJson, releaseBodyMemory } from '../http/index.ts';
import { countSearches, readSearchRequest, type SearchService } from '../search/index.ts';
import { type Handlers, portCalls } from './port-calls.ts';
import { mainErrors } from './thread-errors.ts';
import type { WorkerPool } from './worker-pool.ts';

/** A body, and its owner. */
export interface BulkBody {
  readonly bytes: Buffer;
  readonly owner: string;
}

/** Work with bodies that may be large, off the main thread if they are. */
export interface BulkWork {
  /** A catalog to be stored. */
  readUpload(body: BulkBody, maxTools: number): Promise<UploadedCatalog>;
  /** A search over the tools that the body itself brings. */
  search(body: BulkBody, work: SearchWork): Promise<object>;
  /** The requests of a batch, to be stored. */
  readBatch(body: BulkBody, maxItems: number): Promise<readonly NewBatchItem[]>;
  /** The model that a body names, which is to be passed on as it is. */
  readModel(body: BulkBody): Promise<string>;
}

interface SearchWork {
  /** Called with the number of searches before the first is made; throws if the key has none left. */
  admit(searches: number): Promise<void>;
  readonly signal: AbortSignal;
}

/** Done here, for small bodies and if there are no workers. */
export function createLocalBulk(
  service: SearchService,
  { maxQueryLength }: Pick<GatewaySettings, 'maxQueryLength'>,
): BulkWork {
  return {
    readUpload: ({ bytes }, maxTools) => readUpload(bytes, maxTools),
    async search({ bytes, owner }, { admit, signal }) {
      const body = parseJson(bytes);
      const request = readSearchRequest(body, maxQueryLength);
      await admit(countSearches(request));
      const definitions = isJsonObject(body) ? body.tools : undefined;
      if (!Array.isArray(definitions)) throw new ApiError(400, 'tools: should be a list of tool definitions');
      // An unreadable one fails the whole request, so that none goes missing.
      const { tools } = parseTools(definitions, { onProblem: 'throw' });
      return service.search({ tools, bytes: 0, owner }, request, signal);
    },
    readBatch: async ({ bytes }, maxItems) => readBatch(parseJson(bytes), maxItems),
    async readModel({ bytes }) {
      const body = parseJson(bytes);
      if (isJsonObject(body) && typeof body.model === 'string' && body.model !== '') return body.model;
      throw new ApiError(400, 'model: Field required', { param: 'model' });
    },
  };
}

/** Parsing, checking and hashing ten thousand definitions takes longer than others should wait. */
export function createThreadedBulk(options: {
  readonly pool: WorkerPool;
  readonly local: BulkWork;
  readonly offThreadBytes: number;
}): BulkWork {
  const { pool, local, offThreadBytes } = options;

  /** The answer of a worker. The body's memory is given back once it was read there. */
  async function elsewhere<Answer>({ bytes, owner }: BulkBody, name: keyof BulkWork, call: BulkCall): Promise<Answer> {
    const { port1, port2 } = new MessageChannel();
    const worker = portCalls(port1, {
      handlers: call.handlers ?? {},
      errors: mainErrors(),
      lost: () => new Error('The worker that read this body has ended'),
    });
    pool.give({ kind: 'bulk', bytes, owner, port: port2 }, bytes.subarray(0, BEGINNING_BYTES));
    try {
      const answer = await worker.call(name, call.argument, call.signal);
      // A body of which only the model was read is passed on.
      if (name !== 'readModel') releaseBodyMemory(bytes);
      return answer as Answer;
    } finally {
      worker.close();
    }
  }

  const isSmall = ({ bytes }: BulkBody): boolean => bytes.length < offThreadBytes;
  return {
    readUpload: (body, argument) =>
      isSmall(body) ? local.readUpload(body, argument) : elsewhere(body, 'readUpload', { argument }),
    search: (body, { admit, signal }) =>
      isSmall(body)
        ? local.search(body, { admit, signal })
        : elsewhere(body, 'search', { signal, handlers: { admit } }),
    readBatch: (body, argument) =>
      isSmall(body) ? local.readBatch(body, argument) : elsewhere(body, 'readBatch', { argument }),
    readModel: (body) => (isSmall(body) ? local.readModel(body) : elsewhere(body, 'readModel', {})),
  };
}

interface BulkCall {
  readonly argument?: unknown;
  readonly signal?: AbortSignal;
  /** What the worker may call meanwhile. */
  readonly handlers?: Handlers;
}

/** What distinguishes bodies, so that both workers get some. */
const BEGINNING_BYTES = 4096;
