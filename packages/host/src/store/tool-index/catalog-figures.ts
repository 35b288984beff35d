import { bytesOf, encodeName, numberOf, textOf } from '../internal/columns.ts';
import type { Row, Statements } from '../internal/sql.ts';
import { formatOf, type IndexContext } from './index-context.ts';

/** What is known about an indexed catalog as a whole. */
export interface CatalogFigures {
  readonly number: number;
  /** The hash that was given when the tools were indexed, or '' in the middle of changes. */
  readonly hash: string;
  /** Increases with each change. */
  readonly revision: number;
  readonly toolCount: number;
  /** The sum over all tools of the words in each field. */
  readonly fieldLengths: readonly number[];
  readonly vectorSum: Float64Array;
  /** The sign bits of each cluster's centre, one after the other; empty for a catalog without clusters. */
  readonly clusters: Int32Array;
}

/** A row as written. */
export interface CatalogRow extends CatalogFigures {
  readonly nextTool: number;
  /** How many tools it had when it was clustered. */
  readonly clusteredCount: number;
}

export async function readFigures(context: IndexContext, name: string): Promise<CatalogFigures | undefined> {
  const row = await readCatalog(context.sql, context, { name });
  return row === undefined || row.toolCount === 0 ? undefined : row;
}

/** @param options.isLocked whether other writers wait until the transaction ends */
export async function readCatalog(
  statements: Statements,
  context: Pick<IndexContext, 'embedder'>,
  { name, isLocked = false }: { readonly name: string; readonly isLocked?: boolean },
): Promise<CatalogRow | undefined> {
  const [row] = await statements.all(
    `SELECT * FROM tool_catalogs WHERE name = ? AND format = ? ${isLocked ? 'FOR UPDATE' : ''}`,
    [encodeName(name, 'name of a catalog'), formatOf(context)],
  );
  return row === undefined ? undefined : toRow(row);
}

function toRow(row: Row): CatalogRow {
  return {
    number: numberOf(row, 'number'),
    hash: textOf(row, 'hash'),
    revision: numberOf(row, 'revision'),
    toolCount: numberOf(row, 'tool_count'),
    nextTool: numberOf(row, 'next_tool'),
    fieldLengths: JSON.parse(textOf(row, 'field_lengths')) as number[],
    vectorSum: new Float64Array(copyOf(bytesOf(row, 'vector_sum'))),
    clusters: new Int32Array(copyOf(bytesOf(row, 'clusters'))),
    clusteredCount: numberOf(row, 'clustered_count'),
  };
}

/** Aligned, as views of numbers need it. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

export async function writeCatalog(
  statements: Statements,
  row: CatalogRow,
  { hash, at }: { readonly hash: string; readonly at: number },
): Promise<void> {
  await statements.run(
    `UPDATE tool_catalogs SET hash = ?, revision = revision + 1, tool_count = ?, next_tool = ?, field_lengths = ?,
       vector_sum = ?, clusters = ?, clustered_count = ?, updated_at = ? WHERE number = ?`,
    [
      ...[hash, row.toolCount, row.nextTool, JSON.stringify(row.fieldLengths), asBytes(row.vectorSum)],
      ...[asBytes(row.clusters), row.clusteredCount, at, row.number],
    ],
  );
}

export function asBytes({ buffer, byteOffset, byteLength }: Float64Array | Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
