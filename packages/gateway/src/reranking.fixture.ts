import type { RerankerEmbedder } from '@quartermaster/core/search';
import { BM25 } from './weather-request.fixture.ts';

/** An embedder that holds every request nearest to the tool that it is told, and writes down what it is asked. */
export interface FavouringEmbedder extends RerankerEmbedder {
  /** Awaited before each answer. */
  hold: () => Promise<unknown>;
  /** All texts, in their order. */
  readonly texts: readonly string[];
  readonly signals: readonly (AbortSignal | undefined)[];
}

export function favouringEmbedder(favourite: string): FavouringEmbedder {
  const texts: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const embedder: FavouringEmbedder = {
    modelId: 'favouring',
    texts,
    signals,
    hold: async () => undefined,
    async doEmbed({ values, abortSignal }) {
      texts.push(...values);
      signals.push(abortSignal);
      await embedder.hold();
      return { embeddings: values.map((text) => (isOther(text) ? [0, 1] : [1, 0])) };
    },
  };
  const isOther = (text: string): boolean => isTool(text) && !text.startsWith(`${favourite}:`);
  return embedder;
}

/** A tool is a sentence: `mail send: Send a mail`. */
export function isTool(text: string): boolean {
  return text.includes(': ');
}

/** By its words and their meaning, the request that follows is for the first. */
export const LETTERS = ['send_mail', 'read_mail', 'post_letter'].map((name) => ({
  name,
  description: name === 'post_letter' ? 'Bring a letter to someone' : `To ${name.replace('_', ' ')}`,
  input_schema: { type: 'object' as const },
  defer_loading: true,
}));

export const SEARCH_LETTERS = { call: BM25.name, id: 'toolu_s', input: { query: 'let a customer know' } };

export const RERANKING = { engine: 'hybrid+reranker', whenNothingFits: 'best' } as const;

/** What a response has found, in its order. */
export function foundIn(content: readonly object[]): readonly string[] {
  const results = content as readonly { readonly content?: { readonly tool_references?: { tool_name: string }[] } }[];
  return results.flatMap((block) => block.content?.tool_references ?? []).map(({ tool_name }) => tool_name);
}
