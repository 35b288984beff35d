import { createHash } from 'node:crypto';
import type { Tool } from '@quartermaster/core';
import { bytesOf, numberOf, textOf } from '../internal/columns.ts';
import type { Statements } from '../internal/sql.ts';
import { numberArray, textArray } from './index-context.ts';
import { readStoredTool } from './stored-tool.ts';

/** A tool as indexed. */
export interface IndexedTool {
  readonly number: number;
  readonly tool: Tool;
  readonly vector: Float32Array;
}

/** Identifies a tool's id, however long that is. */
export function toolKey(id: string): string {
  return digest(id);
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** In the order of their numbers. */
export async function fetchTools(
  { sql }: { readonly sql: Statements },
  catalog: number,
  wanted: { readonly numbers: readonly number[] } | { readonly keys: readonly string[] },
): Promise<IndexedTool[]> {
  const [condition, value] =
    'keys' in wanted
      ? ['t.key = ANY(?::text[])', textArray(wanted.keys)]
      : ['t.tool = ANY(?::int[])', numberArray(wanted.numbers)];
  const rows = await sql.all(
    `SELECT t.tool, t.definition, v.vector FROM catalog_tools t JOIN tool_vectors v ON v.catalog = t.catalog AND v.tool = t.tool
     WHERE t.catalog = ? AND v.catalog = ? AND ${condition} ORDER BY t.tool`,
    [catalog, catalog, value],
  );
  return rows.map((row) => ({
    number: numberOf(row, 'tool'),
    tool: readStoredTool(textOf(row, 'definition')),
    vector: readVector(bytesOf(row, 'vector')),
  }));
}

/** What is already indexed of these tools, by key. */
export async function readHashes(
  statements: Statements,
  catalog: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, { readonly number: number; readonly hash: string }>> {
  const rows = await statements.all(
    'SELECT tool, key, hash FROM catalog_tools WHERE catalog = ? AND key = ANY(?::text[])',
    [catalog, textArray(keys)],
  );
  return new Map(rows.map((row) => [textOf(row, 'key'), { number: numberOf(row, 'tool'), hash: textOf(row, 'hash') }]));
}

/** A scale and a byte for each component, as the index in memory has them. */
export function writeVector(components: Int8Array, scale: number): Buffer {
  const bytes = Buffer.alloc(SCALE_BYTES + components.length);
  bytes.writeFloatLE(scale, 0);
  bytes.set(new Uint8Array(components.buffer, components.byteOffset, components.length), SCALE_BYTES);
  return bytes;
}

export function readVector(bytes: Uint8Array): Float32Array {
  const scale = scaleOf(bytes);
  const components = componentsOf(bytes);
  const vector = new Float32Array(components.length);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (components[i] as number) * scale;
  return vector;
}

/** The cosine of a unit vector with a stored one. */
export function cosineOf(vector: Float32Array, bytes: Uint8Array): number {
  const components = componentsOf(bytes);
  let sum = 0;
  for (let i = 0; i < vector.length; i += 1) sum += (vector[i] as number) * (components[i] as number);
  return sum * scaleOf(bytes);
}

function scaleOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
}

function componentsOf(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.byteLength - SCALE_BYTES);
}

const SCALE_BYTES = 4;
