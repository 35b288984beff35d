import { MessageChannel } from 'node:worker_threads';
import type { DialectName } from '@quartermaster/host/upstream';
import type { NamedServers } from '@quartermaster/wires/dialect';
import { CATALOG_TYPE, locateTools } from '../catalogs/index.ts';
import type { Upstreams } from '../configured-upstreams.ts';
import type {
  ModelQuestion,
  NamesServers,
  OpenExchange,
  PlainModelService,
  ServerTools,
  Transcripts,
} from '../exchange/index.ts';
import { releaseBodyMemory } from '../http/index.ts';
import { type MainSide, mainSide } from './main-side.ts';
import type { ThreadJob } from './thread-job.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface ThreadOptions {
  readonly pool: WorkerPool;
  /** A body of at least this size goes to a worker. */
  readonly offThreadBytes: number;
  /** Answers what is small. */
  readonly local: PlainModelService;
  readonly upstreams: Upstreams;
  /** Used by the workers too, from here. */
  readonly transcripts: Transcripts;
}

/**
 * Answers requests with large bodies in workers, so that one client can't hold up the others: parsing and indexing ten thousand
 * tools takes longer than everything else together. Bodies that begin with the same tools go to the same worker, which knows them.
 */
export function createThreadedModels(options: ThreadOptions): PlainModelService {
  const { pool, offThreadBytes, local, upstreams, transcripts } = options;

  /** Undefined where the worker is not asked, or says that it can't. */
  async function elsewhere<Name extends DialectName, Value>(
    question: ModelQuestion<Name>,
    ask: (side: MainSide<Name>) => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const { bytes, headers, dialect, maxRounds, unavailable, access, requestId, roundsBefore, servers, body } =
      question;
    // What is left to the host is rare: the worker need not know of it.
    const size = bytes.length + (body?.toolsBytes ?? 0);
    if (size < offThreadBytes || servers === 'host') return undefined;
    const sent = body === undefined ? bytes : Buffer.from(JSON.stringify(body.value));
    const beginning = beginningOfTools(sent);
    // It would need the store; further down in the tools it is the worker that finds out.
    if (beginning.includes(CATALOG_TYPE)) return undefined;
    const { port1, port2 } = new MessageChannel();
    const side = mainSide(port1, { question, upstreams, transcripts });
    const job: ThreadJob = {
      kind: 'exchange',
      ...{ bytes: sent, maxRounds, unavailable, requestId, roundsBefore, servers: servers && named(servers) },
      ...{ dialect: dialect.name, limits: access.limits, owner: access.owner },
      ...{ headers: [...headers], port: port2 },
    };
    pool.give(job, beginning);
    return ask(side);
  }

  return {
    async open<Name extends DialectName>(question: ModelQuestion<Name>): Promise<OpenExchange<Name> | NamesServers> {
      const there = await elsewhere(question, (side) => side.open());
      const opened = there ?? (await local.open(question));
      // Not after a failure: a worker may then be still reading it. Nor where the question comes back with its servers.
      if (opened.kind === 'exchange') releaseBodyMemory(question.bytes);
      return opened;
    },
    async countTokens(question) {
      const there = await elsewhere(question, (side) => side.count());
      const counted = there ?? (await local.countTokens(question));
      if (typeof counted === 'number') releaseBodyMemory(question.bytes);
      return counted;
    },
  };
}

/** What can be copied to another thread. */
function named({ servers, tools, opening }: ServerTools): NamedServers {
  return { servers, tools, opening };
}

const BEGINNING_BYTES = 4096;

function beginningOfTools(bytes: Buffer): Buffer {
  const start = locateTools(bytes) ?? 0;
  return bytes.subarray(start, start + BEGINNING_BYTES);
}
