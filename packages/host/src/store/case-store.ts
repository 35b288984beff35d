import { noteChange } from './audit-store.ts';
import { decodedOf, encodeName, encodeText, MOST_NAME_CHARACTERS, numberOf } from './internal/columns.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Labelled requests by catalog: which tools should answer a request. */
export interface CaseStore {
  /** The oldest first. */
  list(catalog: string): Promise<readonly StoredCase[]>;
  /** Adds a case, or replaces the one with the same query. `full` if the catalog has reached its limit. */
  put(catalog: string, labelled: Omit<StoredCase, 'at'>): Promise<'stored' | 'full'>;
  /** Whether there was one. `by` is the key that deletes it. */
  delete(catalog: string, query: string, by?: string): Promise<boolean>;
}

/** A labelled request. */
export interface StoredCase {
  readonly query: string;
  /** Ids of tools, any of which answers it. */
  readonly tools: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id of the key that added it, or `''`. */
  readonly by: string;
}

/** How many labelled requests a catalog may have. */
const MOST_CASES = 1_000;

export function createCaseStore(context: StoreContext): CaseStore {
  const { sql, now } = context;
  return {
    async list(catalog) {
      const rows = await sql.all('SELECT * FROM catalog_cases WHERE catalog = ? ORDER BY at, query LIMIT ?', [
        encodeText(catalog),
        MOST_CASES,
      ]);
      return rows.map((row) => ({
        query: decodedOf(row, 'query'),
        tools: JSON.parse(decodedOf(row, 'tools')) as string[],
        at: numberOf(row, 'at'),
        by: decodedOf(row, 'by_key'),
      }));
    },
    async put(catalog, { query, tools, by }) {
      const place = { catalog: encodeName(catalog, 'name of a catalog'), query: encodeName(query, 'query of a case') };
      return sql.transaction(async (statements) => {
        const [count] = await statements.all(
          'SELECT CAST(COUNT(*) AS BIGINT) AS cases FROM catalog_cases WHERE catalog = ? AND query <> ?',
          [place.catalog, place.query],
        );
        if (count !== undefined && numberOf(count, 'cases') >= MOST_CASES) return 'full';
        const labels = { tools: encodeText(JSON.stringify(tools)), at: now(), by_key: encodeText(by) };
        await insertRows(statements, 'catalog_cases', [{ ...place, ...labels }], {
          key: ['catalog', 'query'],
          existing: 'replace',
        });
        const detail = `${JSON.stringify(query)}: ${tools.join(', ')}`;
        await noteChange(statements, context, { actor: by, action: 'case.put', subject: catalog, detail });
        return 'stored';
      });
    },
    delete: (catalog, query, by = '') =>
      sql.transaction(async (statements) => {
        const place = [encodeText(catalog), encodeText(query)];
        const count = await statements.run('DELETE FROM catalog_cases WHERE catalog = ? AND query = ?', place);
        const detail = JSON.stringify(query);
        if (count > 0)
          await noteChange(statements, context, { actor: by, action: 'case.delete', subject: catalog, detail });
        return count > 0;
      }),
  };
}

/** The longest query that a case may have. */
export const MOST_CASE_CHARACTERS: number = MOST_NAME_CHARACTERS;
