import Database from 'libsql';

export const sqlite = {
  name: 'SQLite FTS5',
  build({ documents, fields }) {
    const database = new Database(':memory:');
    database.exec(`create virtual table tools using fts5(${fields.join(', ')}, tokenize = 'porter unicode61')`);
    const insert = database.prepare(
      `insert into tools(rowid, ${fields.join(', ')}) values (?, ${fields.map(() => '?').join(', ')})`,
    );
    database.exec('begin');
    for (const [index, document] of documents.entries())
      insert.run(index + 1, ...fields.map((field) => document[field]));
    database.exec('commit');
    return { database, query: database.prepare('select rowid from tools where tools match ? order by rank limit 10') };
  },
  search({ query }, text) {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    return query.all(words.map((word) => `"${word}"`).join(' OR ')).map((row) => row.rowid);
  },
  /** Pages of the database, the texts included: FTS5 keeps them. */
  bytes: ({ database }) =>
    database.prepare('pragma page_count').get().page_count * database.prepare('pragma page_size').get().page_size,
  close: ({ database }) => database.close(),
};
