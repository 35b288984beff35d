import type { SecondStageEmbedder } from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import { type FoundReranker, findReranker } from '../find-reranker.ts';
import { InputError } from '../input-error.ts';

/** The reranker where the settings ask for it. Whoever asks for it is told when it can't be had, instead of going without. */
export async function configuredReranker(
  { engine }: SearchSettings,
  find: () => Promise<FoundReranker> = findReranker,
): Promise<SecondStageEmbedder | undefined> {
  if (engine !== 'hybrid+reranker') return undefined;
  const found = await find();
  if (found.kind === 'found') return found.reranker;
  throw new InputError(`The engine "${engine}" of search.engine can't run here: ${found.reason}.\n\n${WAY_OUT}`);
}

const WAY_OUT = `Install what it needs where quartermaster is installed:

  npm install @quartermaster/reranker onnxruntime-node

or search without it: search.engine: hybrid (QUARTERMASTER_SEARCH_ENGINE=hybrid).`;
