import { LEARNED_USES_DEFAULTS, type LearnedUse } from '@quartermaster/core/search';
import { noteChange } from './audit-store.ts';
import { bytesOf, decodedOf, encodeGiven, encodeText, MOST_NAME_CHARACTERS, numberOf } from './internal/columns.ts';
import { insertRows, where } from './internal/sql.ts';
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

const MOST_ROWS = 10_000;
const { maxUses, halfLifeMs } = LEARNED_USES_DEFAULTS;
const FORGOTTEN_AFTER_MS = 7 * halfLifeMs;

export function createLearnedUseStore(context: StoreContext): LearnedUseStore {
  const { sql, now, createId } = context;
  return {
    async add(scope, uses) {
      const [owner, catalog] = keyOf(scope);
      const kept = uses.filter(({ tool }) => tool !== '' && tool.length <= MOST_NAME_CHARACTERS);
      const rows = kept.map(({ tool, atMs, vector = NO_VECTOR }) => ({
        ...{ id: createId('use_'), owner, catalog, tool: encodeText(tool), used_at: Math.round(atMs) },
        vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      }));
      await insertRows(sql, 'learned_uses', rows);
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
        const use = { tool: decodedOf(row, 'tool'), atMs: numberOf(row, 'used_at') };
        return vector.length === 0 ? use : { ...use, vector };
      });
    },

    async summarise(which = {}) {
      const { text, values } = whereOf(which);
      const rows = await sql.all(
        `SELECT owner, catalog, tool, CAST(COUNT(*) AS BIGINT) AS calls, MAX(used_at) AS last_at FROM learned_uses ${text}
         GROUP BY owner, catalog, tool ORDER BY COUNT(*) DESC, owner, catalog, tool LIMIT ${MOST_ROWS}`,
        values,
      );
      return rows.map((row) => ({
        owner: decodedOf(row, 'owner'),
        catalog: decodedOf(row, 'catalog'),
        tool: decodedOf(row, 'tool'),
        calls: numberOf(row, 'calls'),
        lastAtMs: numberOf(row, 'last_at'),
      }));
    },

    forget: (which = {}, by = '') =>
      sql.transaction(async (statements) => {
        const { text, values } = whereOf(which);
        const count = await statements.run(`DELETE FROM learned_uses ${text}`, values);
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

function whereOf({ owner, catalog, tool }: Partial<UseScope> & { readonly tool?: string }): ReturnType<typeof where> {
  return where(
    ['owner = ?', encodeGiven(owner)],
    ['catalog = ?', encodeGiven(catalog)],
    ['tool = ?', encodeGiven(tool)],
  );
}
