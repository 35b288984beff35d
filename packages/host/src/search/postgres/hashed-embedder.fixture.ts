import type { StaticEmbedder } from '@quartermaster/core/search';

/** A bag of hashed words: two texts are near if they share words, and nothing else is. */
export const hashedEmbedder: StaticEmbedder = {
  modelId: 'hashed',
  dimensions: 256,
  knows: (word) => !word.endsWith('x'),
  query: embed,
  tool: ({ name, description }) => embed(`${name} ${description}`),
};

function embed(text: string): Float32Array {
  const vector = new Float32Array(256);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const stem = word.replace(/(?:e?s)$/, '');
    for (let part = 0; part < 16; part += 1) {
      const hash = hashOf(`${part}${stem}`);
      vector[hash % 256] = (vector[hash % 256] ?? 0) + (hash & 0x10000 ? 1 : -1);
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
