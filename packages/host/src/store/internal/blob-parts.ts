import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';
import { bytesOf, numberOf, textOf } from './columns.ts';
import { insertRows, type Row, type Statements } from './sql.ts';
import type { StoreContext } from './store-context.ts';

/** A large value in parts, each a row. */
export interface Blob {
  readonly id: string;
  readonly parts: number;
}

/** SQLite's driver is synchronous: writing a part takes about a millisecond. */
export const PART_BYTES: number = 128 * 1024;

/** Unreferenced parts are deleted after this time: their writer was interrupted, or ended before it deleted them. */
const ABANDONED_MS = 60 * 60_000;
/** How many abandoned values one sweep deletes. */
const SWEPT_BLOBS = 20;

/** Writes a value in parts, one statement each, and yields to the event loop after each. */
export async function writeBlob({ sql, now, createId }: StoreContext, bytes: Uint8Array): Promise<Blob> {
  const id = createId('blob_');
  let parts = 0;
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    const body = bytes.subarray(start, start + PART_BYTES);
    await insertRows(sql, 'blob_parts', [{ blob: id, part: parts, body, created_at: now() }]);
    parts += 1;
    await setImmediate();
  }
  return { id, parts };
}

/** Undefined if it was replaced or deleted in the meantime. */
export async function readBlob({ sql }: StoreContext, { id, parts }: Blob): Promise<Buffer | undefined> {
  const bodies: Uint8Array[] = [];
  for (let part = 0; part < parts; part += 1) {
    const [row] = await sql.all('SELECT body FROM blob_parts WHERE blob = ? AND part = ?', [id, part]);
    if (row === undefined) return undefined;
    bodies.push(bytesOf(row, 'body'));
    await setImmediate();
  }
  return Buffer.concat(bodies);
}

/** In the transaction that creates the reference: a sweep may have deleted a value whose writing took too long. */
export async function checkBlob(statements: Statements, { id, parts }: Blob): Promise<void> {
  const [row] = await statements.all('SELECT COUNT(*) AS count FROM blob_parts WHERE blob = ?', [id]);
  if (row !== undefined && numberOf(row, 'count') === parts) return;
  throw new StoreError('unavailable', 'Writing took too long, and a part of what was written is gone; try again');
}

/** Nothing refers to it any more. */
export async function forgetBlob({ sql }: StoreContext, { id, parts }: Blob): Promise<void> {
  for (let part = 0; part < parts; part += 1) {
    await sql.run('DELETE FROM blob_parts WHERE blob = ? AND part = ?', [id, part]);
    await setImmediate();
  }
}

/** Deletes what interrupted writers left behind. */
export async function sweepBlobs(context: StoreContext): Promise<void> {
  const rows = await context.sql.all(
    `SELECT blob, MAX(part) AS last FROM blob_parts WHERE created_at < ?
       AND NOT EXISTS (SELECT 1 FROM catalogs WHERE catalogs.blob = blob_parts.blob)
       AND NOT EXISTS (SELECT 1 FROM search_indexes WHERE search_indexes.blob = blob_parts.blob)
     GROUP BY blob LIMIT ${SWEPT_BLOBS}`,
    [context.now() - ABANDONED_MS],
  );
  for (const row of rows) await forgetBlob(context, { id: textOf(row, 'blob'), parts: numberOf(row, 'last') + 1 });
}

/** The value that the columns `blob` and `blob_count` of a row refer to; undefined if the value is in the row itself. */
export function blobOf(row: Row): Blob | undefined {
  return typeof row.blob === 'string' ? { id: row.blob, parts: numberOf(row, 'blob_count') } : undefined;
}
