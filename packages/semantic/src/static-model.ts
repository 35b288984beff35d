import type { SearchText, StaticEmbedder } from '@quartermaster/core';
import { splitPieces } from './split-pieces.ts';

/** How much each field of a tool weighs in its vector, as training left it. */
export interface FieldWeights {
  readonly name: number;
  readonly server: number;
  readonly description: number;
  readonly parameters: number;
  readonly details: number;
}

/** A static embedding: a row of bytes for each piece of the vocabulary, and a scale for each row. */
export interface StaticModelData {
  readonly modelId: string;
  readonly dimensions: number;
  readonly fields: FieldWeights;
  readonly pieces: readonly string[];
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

/** How much of each field is read, in characters; training read as much. */
const FIELD_LIMITS = { description: 1500, parameters: 600, details: 1200, query: 4096 } as const;

/**
 * The embedder of a static model. A text's vector is the sum of its pieces' vectors, made a unit vector; in a tool each
 * field's sum is divided by the root of its piece count and weighted.
 */
export function createStaticModel(data: StaticModelData): StaticEmbedder {
  const { dimensions, fields, rows, scales } = data;
  const vocabulary = new Map(data.pieces.map((piece, row) => [piece, row]));
  const weights = new Float32Array(data.pieces.length);

  /** Sums by piece first, so that a word said five times is read once. */
  function embed(parts: readonly Part[]): Float32Array {
    const touched: number[] = [];
    for (const { text, weight, isField } of parts) {
      const found = splitPieces(text, vocabulary);
      const each = isField ? weight / Math.sqrt(found.length) : weight;
      for (const row of found) {
        if (weights[row] === 0) touched.push(row);
        weights[row] = (weights[row] as number) + each;
      }
    }
    const sum = new Float32Array(dimensions);
    for (const row of touched) {
      const factor = (weights[row] as number) * (scales[row] as number);
      weights[row] = 0;
      const start = row * dimensions;
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + factor * (rows[start + i] as number);
    }
    return toUnitLength(sum);
  }

  return {
    modelId: data.modelId,
    dimensions,
    query: (text) => embed([{ text: text.slice(0, FIELD_LIMITS.query), weight: 1, isField: false }]),
    tool: (text) =>
      embed([
        { text: withoutServer(text), weight: fields.name, isField: true },
        { text: text.server, weight: fields.server, isField: true },
        { text: text.description.slice(0, FIELD_LIMITS.description), weight: fields.description, isField: true },
        { text: joinUpTo(text.parameterNames, FIELD_LIMITS.parameters), weight: fields.parameters, isField: true },
        { text: joinUpTo(text.parameterDescriptions, FIELD_LIMITS.details), weight: fields.details, isField: true },
      ]),
  };
}

interface Part {
  readonly text: string;
  readonly weight: number;
  readonly isField: boolean;
}

/** `Github_ListIssues` of server `Github` is about listing issues; the server has a field of its own. */
function withoutServer({ name, server }: SearchText): string {
  const starts = server !== '' && name.length > server.length && name.toLowerCase().startsWith(server.toLowerCase());
  return starts ? name.slice(server.length) : name;
}

function joinUpTo(texts: readonly string[], limit: number): string {
  let joined = '';
  for (const text of texts) {
    if (joined.length >= limit) break;
    joined += joined === '' ? text : ` ${text}`;
  }
  return joined.slice(0, limit);
}

function toUnitLength(vector: Float32Array): Float32Array {
  let square = 0;
  for (const component of vector) square += component * component;
  if (square === 0) return vector;
  const factor = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * factor;
  return vector;
}
