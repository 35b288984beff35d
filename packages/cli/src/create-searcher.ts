import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import {
  createRegexSearcher,
  createReranker,
  createSemanticSearcher,
  type IndexCache,
  type Reranker,
} from '@quartermaster/core/search';
import { chooseEngine, findReranker } from '@quartermaster/host/search';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import { cacheEmbeddings } from './evaluate/index.ts';
import { InputError } from './input-error.ts';

/** The engines that can be asked for by name, the default first. */
export const ENGINES = ['auto', 'hybrid', 'bm25', 'semantic', 'regex', 'hybrid+reranker'] as const;

/** The search engines by the names that `--engine` takes. */
export type EngineName = (typeof ENGINES)[number];

export const DEFAULT_ENGINE: EngineName = 'auto';

/** Options of `createSearcher`. */
export interface CreateSearcherOptions {
  /** A folder where the reranker's vectors outlast the process. @default nowhere */
  readonly cacheFolder?: string | undefined;
  /** Where indexes outlast the process. @default nowhere */
  readonly indexCache?: IndexCache | undefined;
}

/** The engine behind a name on this machine, and why. */
export async function resolveEngine(
  engine: EngineName,
): Promise<{ readonly engine: Exclude<EngineName, 'auto'>; readonly reason: string }> {
  return engine === 'auto' ? await chooseEngine({ engine }) : { engine, reason: 'as requested' };
}

/** Asynchronous, since an engine may have a model to load. */
export async function createSearcher(
  engine: EngineName,
  snapshot: Snapshot,
  options: CreateSearcherOptions = {},
): Promise<Searcher> {
  const { indexCache: cache } = options;
  switch (engine) {
    case 'regex':
      return createRegexSearcher(snapshot);
    case 'bm25':
      return createBm25Searcher(snapshot, { cache });
    case 'semantic':
      return createSemanticSearcher(snapshot, { embedder: embeddedModel(), cache });
    case 'auto':
      return createSearcher((await resolveEngine(engine)).engine, snapshot, options);
    case 'hybrid':
      return createEmbeddedSearcher(snapshot, { cache });
    case 'hybrid+reranker': {
      reranker ??= loadReranker(options.cacheFolder);
      const found = await reranker;
      if (found.kind === 'missing') throw new InputError(`The engine "${engine}" can't run here: ${found.reason}`);
      return createEmbeddedSearcher(snapshot, { reranker: found.stage, cache });
    }
  }
}

/** The engines that answer requests in words, those that can't run here left out with the reason. */
export async function findEngines(
  options: CreateSearcherOptions = {},
): Promise<{ readonly engines: readonly EngineName[]; readonly missing: string | undefined }> {
  reranker ??= loadReranker(options.cacheFolder);
  const found = await reranker;
  const engines: EngineName[] = ['bm25', 'semantic', 'hybrid'];
  if (found.kind === 'missing') return { engines, missing: found.reason };
  return { engines: [...engines, 'hybrid+reranker'], missing: undefined };
}

type FoundStage =
  | { readonly kind: 'found'; readonly stage: Reranker }
  | { readonly kind: 'missing'; readonly reason: string };

/** Shared by all searchers: the model is read once, and no tool is embedded twice. */
let reranker: Promise<FoundStage> | undefined;

async function loadReranker(cacheFolder: string | undefined): Promise<FoundStage> {
  const found = await findReranker();
  if (found.kind === 'missing') return found;
  const { reranker } = found;
  const embedder = cacheFolder === undefined ? reranker : await cacheEmbeddings(reranker, cacheFolder);
  return { kind: 'found', stage: createReranker({ embedder, timeoutMs: PATIENCE_MS }) };
}

/** On the command line an answer that is late is better than one without the stage that was asked for. */
const PATIENCE_MS = 60_000;
