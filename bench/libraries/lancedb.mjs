import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';

// By default it leaves all but one of two processors to reading and writing, and its index of 40,000 texts or more never gets done.
process.env.LANCE_CPU_THREADS ??= '2';

export const lance = {
  name: 'LanceDB',
  async build({ documents, fields }) {
    const folder = mkdtempSync(join(tmpdir(), 'quartermaster-lance-'));
    const database = await lancedb.connect(folder);
    const rows = documents.map((document, index) => ({
      number: index,
      text: fields.map((field) => document[field]).join('\n'),
    }));
    const table = await database.createTable('tools', rows);
    await table.createIndex('text', { config: lancedb.Index.fts({ stem: true, withPosition: false }) });
    return { folder, table };
  },
  async search({ table }, query) {
    const rows = await table.query().fullTextSearch(query).select(['number', '_score']).limit(10).toArray();
    return rows.map((row) => row.number);
  },
  /** Files on disk, the texts included. */
  bytes: ({ folder }) => sizeOf(folder),
  close({ folder, table }) {
    table.close();
    rmSync(folder, { recursive: true, force: true });
  },
};

function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}
