import { SettingError } from '@quartermaster/core/errors';
import { once } from '@quartermaster/core/internal';
import type { RerankerEmbedder } from '@quartermaster/core/search';
import type { SearchSettings } from '../config/index.ts';

/** The engine that searches, and why. */
export interface ChosenEngine {
  readonly engine: Exclude<SearchSettings['engine'], 'auto'>;
  /** The reason for this engine, as a sentence: `search.engine is auto, and the reranker loads`. */
  readonly reason: string;
  /** The reranker's model, for `hybrid+reranker`. */
  readonly embedder?: RerankerEmbedder;
}

/**
 * The only place where an engine is chosen. `auto` is the reranker if it loads and hybrid otherwise. Throws if the settings
 * name the reranker and it doesn't load.
 */
export async function chooseEngine(
  { engine }: Pick<SearchSettings, 'engine'>,
  find: () => Promise<FoundReranker> = findReranker,
): Promise<ChosenEngine> {
  if (engine === 'hybrid' || engine === 'bm25') return { engine, reason: `search.engine is ${engine}` };
  const found = await find();
  if (found.kind === 'found') {
    const reason = engine === 'auto' ? 'search.engine is auto, and the reranker loads' : `search.engine is ${engine}`;
    return { engine: 'hybrid+reranker', reason, embedder: found.reranker };
  }
  if (engine === 'auto') {
    return { engine: 'hybrid', reason: `search.engine is auto, and the reranker does not load: ${found.reason}` };
  }
  throw new SettingError('invalid_setting', `The engine "${engine}" can't run here: ${found.reason}.\n\n${FIX}`, {
    context: { setting: 'search.engine', value: engine },
  });
}

const FIX = `In the folder of quartermaster, install a runtime for it:

  npm install onnxruntime-node@1.16.3

or search without the reranker: search.engine: hybrid (QUARTERMASTER_SEARCH_ENGINE=hybrid).`;

/** The installed reranker, or the reason why there is none. */
export type FoundReranker =
  | { readonly kind: 'found'; readonly reranker: RerankerEmbedder }
  | { readonly kind: 'missing'; readonly reason: string };

/** The reranker's model, if it can run here: its package and the runtime that it needs are optional. Loaded once per process. */
export const findReranker: () => Promise<FoundReranker> = once(loadReranker);

async function loadReranker(): Promise<FoundReranker> {
  let reason = '';
  try {
    const { loadReranker: load } = await import('@quartermaster/reranker');
    const reranker = await load({
      onUnavailable: (why) => {
        reason = why;
      },
    });
    return reranker === undefined ? { kind: 'missing', reason } : { kind: 'found', reranker };
  } catch (error) {
    return { kind: 'missing', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isAbsent = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(PACKAGE);
  return isAbsent ? `${PACKAGE} is not installed` : error.message;
}

const PACKAGE = '@quartermaster/reranker';
