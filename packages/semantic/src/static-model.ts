import type { SearchText } from '@quartermaster/core/catalog';
import type { StaticEmbedder } from '@quartermaster/core/search';
import { PieceTable, splitPieces } from './split-pieces.ts';

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

/** How much of each field is read, in characters. Training read more of it; the rest costs time and changes no ranking to speak of. */
const FIELD_LIMITS = { description: 800, parameters: 400, details: 400, query: 4096 } as const;

/**
 * The embedder of a static model. A text's vector is the sum of its pieces' vectors, made a unit vector; in a tool each
 * field's sum is divided by the root of its piece count and weighted.
 */
export function createStaticModel(data: StaticModelData): StaticEmbedder {
  const { dimensions, fields, rows, scales } = data;
  const table = new PieceTable(data.pieces);
  const weights = new Float32Array(data.pieces.length);
  const sum = new Float64Array(dimensions);

  /** Sums by piece first, so that a word said five times is read once. */
  function embed(parts: readonly Part[]): Float32Array {
    const touched: number[] = [];
    for (const { text, weight, isField } of parts) {
      const found = splitPieces(text, table);
      const each = isField ? weight / Math.sqrt(found.length) : weight;
      for (const row of found) {
        if (weights[row] === 0) touched.push(row);
        weights[row] = (weights[row] as number) + each;
      }
    }
    sum.fill(0);
    for (let at = 0; at < touched.length; at += AT_ONCE) addRows(touched, at);
    return toUnitLength(sum);
  }

  /** Four rows in one pass over the sum, which is what most of the time goes into; missing ones weigh nothing. */
  function addRows(touched: readonly number[], at: number): void {
    const [a, b, c, d] = [touched[at] ?? 0, touched[at + 1] ?? 0, touched[at + 2] ?? 0, touched[at + 3] ?? 0];
    const [fa, fb, fc, fd] = [takeWeight(a), takeWeight(b), takeWeight(c), takeWeight(d)];
    const [ra, rb, rc, rd] = [a * dimensions, b * dimensions, c * dimensions, d * dimensions];
    for (let i = 0; i < dimensions; i++) {
      sum[i] =
        (sum[i] as number) +
        fa * (rows[ra + i] as number) +
        fb * (rows[rb + i] as number) +
        fc * (rows[rc + i] as number) +
        fd * (rows[rd + i] as number);
    }
  }

  /** What a row counts; taken once, so that the next text starts from nothing. */
  function takeWeight(row: number): number {
    const weight = (weights[row] as number) * (scales[row] as number);
    weights[row] = 0;
    return weight;
  }

  return {
    modelId: data.modelId,
    dimensions,
    knows: (word) => table.has(word),
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

function toUnitLength(sum: Float64Array): Float32Array {
  const vector = new Float32Array(sum.length);
  let square = 0;
  for (let i = 0; i < sum.length; i++) square += (sum[i] as number) ** 2;
  if (square === 0) return vector;
  const factor = 1 / Math.sqrt(square);
  for (let i = 0; i < sum.length; i++) vector[i] = (sum[i] as number) * factor;
  return vector;
}

/** Rows added in one pass. */
const AT_ONCE = 4;

/**
 * A model file is a 4-byte little-endian length, that many bytes of JSON, zeros up to a multiple of 4, one float32 scale
 * a piece, and one row of int8 components a piece. The arrays are views of the bytes: nothing is copied.
 */
export function readModel(bytes: Uint8Array): StaticModelData {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as ModelHeader;
  const pieces = header.pieces.split('\n');
  const scalesAt = bytes.byteOffset + 4 * Math.ceil((4 + headerLength) / 4);
  const rowsAt = scalesAt + 4 * pieces.length;
  const size = pieces.length * header.dimensions;
  if (rowsAt + size !== bytes.byteOffset + bytes.byteLength) {
    throw new RangeError(
      `The model file has ${bytes.byteLength} bytes where its header promises ${rowsAt + size - bytes.byteOffset}`,
    );
  }
  return {
    modelId: header.modelId,
    dimensions: header.dimensions,
    fields: header.fields,
    pieces,
    scales: new Float32Array(bytes.buffer, scalesAt, pieces.length),
    rows: new Int8Array(bytes.buffer, rowsAt, size),
  };
}

interface ModelHeader {
  readonly modelId: string;
  readonly dimensions: number;
  readonly fields: FieldWeights;
  /** One a line. */
  readonly pieces: string;
}
