import type { SearchText } from '../../catalog/index.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import { tokenize } from '../text/tokenize.ts';

const DIMENSIONS = 512;

/** Words that mean the same to the toy. */
const MEANINGS: Readonly<Record<string, string>> = {
  mail: 'email',
  letter: 'email',
  bill: 'invoice',
  remove: 'delete',
};

/** A bag of hashed words with a few synonyms: enough of an embedder to see meaning count where words don't. */
export const toyEmbedder: StaticEmbedder = {
  modelId: 'toy',
  dimensions: DIMENSIONS,
  knows: (word) => !word.endsWith('x'),
  query: embed,
  tool: (text: SearchText) => embed(`${text.name} ${text.description}`),
};

function embed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const { text: word } of tokenize(text)) {
    const meaning = MEANINGS[word] ?? word;
    for (let part = 0; part < 16; part += 1) {
      const hash = hashOf(`${part}${meaning}`);
      const at = hash % DIMENSIONS;
      vector[at] = (vector[at] ?? 0) + (hash & 0x10000 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((component) => component / length);
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
}
