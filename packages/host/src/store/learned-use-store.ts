import { LEARNED_USES_DEFAULTS, type LearnedUse } from '@quartermaster/core/search';
import { noteChange } from './audit-store.ts';
import { bytesOf, decodeText, encodeText, MOST_NAME_CHARACTERS, numberOf, textOf } from './internal/columns.ts';
import { chunks, placeholders, type SqlValue } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Which tools were called after searches: vectors of requests and times, never texts. Separate for each owner and catalog. */
export interface LearnedUseStore {
  /** A tool whose id is longer than 512 characters is not stored. Beyond 4,096, the oldest of a catalog are deleted. */
  add(scope: UseScope, uses: readonly LearnedUse[]): Promise<void>;
  /** The newest of one owner and catalog, at most 4,096, oldest first. */
  list(scope: UseScope): Promise<readonly LearnedUse[]>;
  /** What is stored, by owner, catalog and tool: most used first, at most 10,000 rows. */
  summarise(which?: Partial<UseScope>): Promise<readonly UseSummary[]>;
  /** Deletes what matches all given fields, or everything if none is given; returns how many uses that were. `by` is the requesting key. */
  forget(which?: Partial<UseScope> & { readonly tool?: string }, by?: string): Promise<number>;
  /** Deletes what is too old to count. */
  sweep(): Promise<void>;
}

/** Whose uses, and of which tools. */
export interface UseScope {
  /** An API key's id, or `''` without keys. */
  readonly owner: string;
  /** A named catalog, several joined by a comma, `mcp` for the MCP servers together, or `''` for the tools of requests. */
  readonly catalog: string;
}

/** How often a tool was called after a search. */
export interface UseSummary extends UseScope {
  readonly tool: string;
  readonly calls: number;
  readonly lastAtMs: number;
}

const ROWS_AT_ONCE = 200;
const MOST_ROWS = 10_000;
const { maxUses, halfLifeMs } = LEARNED_USES_DEFAULTS;
const FORGOTTEN_AFTER_MS = 7 * halfLifeMs;

export function createLearnedUseStore(context: StoreContext): LearnedUseStore {
  const { sql, now, createId } = context;
  return {
    async add(scope, uses) {
      const [owner, catalog] = keyOf(scope);
      const kept = uses.filter(({ tool }) => tool !== '' && tool.length <= MOST_NAME_CHARACTERS);
      for (const some of chunks(kept, ROWS_AT_ONCE)) {
        await sql.run(
          `INSERT INTO learned_uses (id, owner, catalog, tool, used_at, vector) VALUES ${placeholders(some.length, 6)}`,
          some.flatMap(({ tool, atMs, vector = NO_VECTOR }): SqlValue[] => [
            createId('use_'),
            owner,
            catalog,
            encodeText(tool),
            Math.round(atMs),
            new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
          ]),
        );
      }
      await sql.run(
        `DELETE FROM learned_uses WHERE owner = ? AND catalog = ? AND used_at <=
           (SELECT used_at FROM learned_uses WHERE owner = ? AND catalog = ? ORDER BY used_at DESC LIMIT 1 OFFSET ${maxUses})`,
        [owner, catalog, owner, catalog],
      );
    },

    async list(scope) {
      const rows = await sql.all(
        'SELECT tool, used_at, vector FROM learned_uses WHERE owner = ? AND catalog = ? ORDER BY used_at DESC LIMIT ?',
        [...keyOf(scope), maxUses],
      );
      return [...rows].reverse().map((row) => {
        const vector = new Int8Array(bytesOf(row, 'vector'));
        const use = { tool: decodeText(textOf(row, 'tool')), atMs: numberOf(row, 'used_at') };
        return vector.length === 0 ? use : { ...use, vector };
      });
    },

    async summarise(which = {}) {
      const { where, values } = conditions(which);
      const rows = await sql.all(
        `SELECT owner, catalog, tool, CAST(COUNT(*) AS BIGINT) AS calls, MAX(used_at) AS last_at FROM learned_uses ${where}
         GROUP BY owner, catalog, tool ORDER BY COUNT(*) DESC, owner, catalog, tool LIMIT ${MOST_ROWS}`,
        values,
      );
      return rows.map((row) => ({
        owner: decodeText(textOf(row, 'owner')),
        catalog: decodeText(textOf(row, 'catalog')),
        tool: decodeText(textOf(row, 'tool')),
        calls: numberOf(row, 'calls'),
        lastAtMs: numberOf(row, 'last_at'),
      }));
    },

    forget: (which = {}, by = '') =>
      sql.transaction(async (statements) => {
        const { where, values } = conditions(which);
        const count = await statements.run(`DELETE FROM learned_uses ${where}`, values);
        const { owner, ...rest } = which;
        const detail = `${count} uses${Object.keys(rest).length === 0 ? '' : ` of ${JSON.stringify(rest)}`}`;
        const subject = owner ?? 'all keys';
        if (count > 0) await noteChange(statements, context, { actor: by, action: 'learned.forget', subject, detail });
        return count;
      }),

    async sweep() {
      await sql.run('DELETE FROM learned_uses WHERE used_at < ?', [now() - FORGOTTEN_AFTER_MS]);
    },
  };
}

const NO_VECTOR = new Int8Array(0);

function keyOf({ owner, catalog }: UseScope): [string, string] {
  return [encodeText(owner), encodeText(catalog)];
}

function conditions(which: Partial<UseScope> & { readonly tool?: string }): { where: string; values: SqlValue[] } {
  const given = (['owner', 'catalog', 'tool'] as const).flatMap((column) => {
    const value = which[column];
    return value === undefined ? [] : [{ column, value: encodeText(value) }];
  });
  if (given.length === 0) return { where: '', values: [] };
  return {
    where: `WHERE ${given.map(({ column }) => `${column} = ?`).join(' AND ')}`,
    values: given.map(({ value }) => value),
  };
}
