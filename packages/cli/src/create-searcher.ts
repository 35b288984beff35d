import type { Searcher, Snapshot } from '@quartermaster/core';
import { createReranker, type IndexCache, type Reranker, type RerankerEmbedder } from '@quartermaster/core/search';
import {
  chooseEngine,
  createEngine,
  findReranker,
  SEARCH_ENGINES,
  type SearchEngineName,
} from '@quartermaster/host/search';
import type { CommandIo } from './command-io.ts';
import { cacheEmbeddings } from './evaluate/index.ts';
import { InputError } from './input-error.ts';
import { counted, startProgress, whileShowing } from './terminal/index.ts';

/** The search engines by their `--engine` names. */
export type EngineName = SearchEngineName;

/** The engines that can be selected by name, the default first. */
export const ENGINES: readonly EngineName[] = SEARCH_ENGINES;

export const DEFAULT_ENGINE: EngineName = 'auto';

/** Options of `createSearcher`. */
export interface CreateSearcherOptions {
  /** A folder that keeps the reranker's vectors between runs. @default none */
  readonly cacheFolder?: string | undefined;
  /** A folder that keeps indexes between runs. @default none */
  readonly indexCache?: IndexCache | undefined;
}

/** The engine that a name means on this machine, and why. */
export async function resolveEngine(
  engine: EngineName,
): Promise<{ readonly engine: Exclude<EngineName, 'auto'>; readonly reason: string }> {
  return engine === 'auto' ? await chooseEngine({ engine }) : { engine, reason: 'as requested' };
}

/** Asynchronous, because an engine may have to load a model. */
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

/** The engines that answer requests in words. Those that can't run here are left out, with the reason. */
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

/** Shared by all searchers: the model is loaded once, and no tool is embedded twice. */
let reranker: Promise<FoundStage> | undefined;

async function loadReranker(cacheFolder: string | undefined): Promise<FoundStage> {
  const found = await findReranker();
  if (found.kind === 'missing') return found;
  const { reranker } = found;
  const embedder = cacheFolder === undefined ? reranker : await cacheEmbeddings(reranker, cacheFolder);
  return { kind: 'found', stage: createCommandReranker(embedder) };
}

/** Embeds only the candidates of a search: the vectors of a whole catalog take minutes, and the command ends before they pay off. */
export function createCommandReranker(embedder: RerankerEmbedder): Reranker {
  return createReranker({ embedder, timeoutMs: PATIENCE_MS, isPreparing: false });
}

/** On the command line, a late answer is better than one without the reranker. */
const PATIENCE_MS = 60_000;

/** Builds the index. Pauses from time to time, so that the progress of a large one can be shown. */
export async function prepareSearcher(
  searcher: Searcher,
  snapshot: Snapshot,
  io: Pick<CommandIo, 'stderr'>,
): Promise<void> {
  if (searcher.prepare === undefined || !isLarge(snapshot)) return;
  const progress = startProgress(io);
  const timer = setInterval(
    () => progress.update(`Building the index of ${counted(snapshot.tools.length, 'tool')}`),
    100,
  );
  try {
    await searcher.prepare();
  } finally {
    clearInterval(timer);
    progress.end();
  }
}

/** Whether work on the whole catalog takes long enough to report it. */
export function isLarge({ tools }: Snapshot): boolean {
  return tools.length >= LARGE_CATALOG;
}

const LARGE_CATALOG = 5_000;

export interface StartEngineOptions extends CreateSearcherOptions {
  readonly io: Pick<CommandIo, 'stderr'>;
}

/** A searcher, with the engine that its name means and why. Its models may take a second to load, which a terminal is told. */
export async function startEngine(
  name: EngineName,
  snapshot: Snapshot,
  { io, ...options }: StartEngineOptions,
): Promise<{ readonly engine: EngineName; readonly reason: string; readonly searcher: Searcher }> {
  return await whileShowing(io, 'Loading the search engine', async () => {
    const resolved = await resolveEngine(name);
    return { ...resolved, searcher: await createSearcher(resolved.engine, snapshot, options) };
  });
}
