import type { Searcher, Snapshot } from '@quartermaster/core';
import { createReranker, type IndexCache, type Reranker } from '@quartermaster/core/search';
import {
  chooseEngine,
  createEngine,
  findReranker,
  SEARCH_ENGINES,
  type SearchEngineName,
} from '@quartermaster/host/search';
import { cacheEmbeddings } from './evaluate/index.ts';
import { InputError } from './input-error.ts';

/** The search engines by the names that `--engine` takes. */
export type EngineName = SearchEngineName;

/** The engines that can be asked for by name, the default first. */
export const ENGINES: readonly EngineName[] = SEARCH_ENGINES;

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
  const { engine: resolved } = await resolveEngine(engine);
  if (resolved !== 'hybrid+reranker') return createEngine(resolved, snapshot, { cache });
  reranker ??= loadReranker(options.cacheFolder);
  const found = await reranker;
  if (found.kind === 'missing') throw new InputError(`The engine "${resolved}" can't run here: ${found.reason}`);
  return createEngine(resolved, snapshot, { reranker: found.stage, cache });
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
