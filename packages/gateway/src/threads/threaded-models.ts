import { MessageChannel } from 'node:worker_threads';
import { defined } from '@quartermaster/core/internal';
import type { DialectName } from '@quartermaster/host/upstream';
import type { NamedServers } from '@quartermaster/wires/dialect';
import { CATALOG_TYPE } from '../catalogs/index.ts';
import type { Upstreams } from '../configured-upstreams.ts';
import type { ModelQuestion, RemoteModelService, ServerTools, Transcripts } from '../exchange/index.ts';
import { beginningOfTools } from './beginning-of-tools.ts';
import { type MainSide, mainSide } from './main-side.ts';
import type { ThreadJob } from './thread-job.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * Answers requests with large bodies in workers, so that one client can't delay the others: parsing and indexing ten thousand
 * tools takes longer than everything else together. Bodies that begin with the same tools go to the same worker, which knows them.
 */
export function createThreadedModels(options: {
  readonly pool: WorkerPool;
  readonly upstreams: Upstreams;
  /** Also used by the workers, from here. */
  readonly transcripts: Transcripts;
}): RemoteModelService {
  const { pool, upstreams, transcripts } = options;

  function sideOf<Name extends DialectName>(question: ModelQuestion<Name>): MainSide<Name> | undefined {
    const { bytes, headers, dialect, maxRounds, unavailable, access, requestId, roundsBefore, servers, body } =
      question;
    const sent = body === undefined ? bytes : Buffer.from(JSON.stringify(body.value));
    const beginning = beginningOfTools(sent);
    // It would need the store; if the catalog is named later in the tools, the worker finds out.
    if (beginning.includes(CATALOG_TYPE)) return undefined;
    const { port1, port2 } = new MessageChannel();
    const side = mainSide(port1, { question, upstreams, transcripts });
    const job: ThreadJob = {
      kind: 'exchange',
      ...{ dialect: dialect.name, bytes: sent, ...defined({ maxRounds, unavailable, requestId, roundsBefore }) },
      access: { owner: access.owner, limits: access.limits },
      ...{ headers: [...headers], port: port2, servers: typeof servers === 'object' ? named(servers) : undefined },
    };
    pool.give(job, beginning);
    return side;
  }

  return {
    open: async (question) => sideOf(question)?.open(),
    countTokens: async (question) => sideOf(question)?.count(),
  };
}

/** What can be copied to another thread. */
function named({ servers, tools, opening }: ServerTools): NamedServers {
  return { servers, tools, opening };
}
