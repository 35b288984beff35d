import type { ToolUse } from '@quartermaster/core/gate';
import { decodedOf, encodeGiven, encodeText, MOST_NAME_CHARACTERS, numberOf, textOf } from './internal/columns.ts';
import { insertRows, type NewRow, where } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Counters of usage: per owner and day, and per tool. They contain no content. */
export interface UsageStore {
  /** Adds to the counters. A tool whose id is longer than 512 characters is not counted. */
  record(usage: Usage): Promise<void>;
  /** An owner's days with any use, the oldest first. */
  days(query: { readonly owner: string; readonly from: string; readonly to: string }): Promise<readonly DayUsage[]>;
  /** How often tools were called, the most used first: what `suggestPins` chooses from. */
  tools(query: { readonly owner?: string; readonly limit: number }): Promise<readonly ToolUse[]>;
}

/** Missing fields count as 0. */
export interface Usage {
  /** An API key's id, or `''` without keys. */
  readonly owner: string;
  readonly requests?: number;
  readonly searches?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly tools?: readonly ToolUse[];
}

/** What was used on one day. */
export interface DayUsage {
  /** `2026-11-15`, in UTC. */
  readonly day: string;
  readonly requests: number;
  readonly searches: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export function createUsageStore({ sql, now }: StoreContext): UsageStore {
  return {
    async record(usage) {
      const owner = encodeText(usage.owner);
      const { requests = 0, searches = 0, inputTokens = 0, outputTokens = 0, tools = [] } = usage;
      const day = new Date(now()).toISOString().slice(0, 10);
      await sql.transaction(async (statements) => {
        const row = { owner, day, requests, searches, input_tokens: inputTokens, output_tokens: outputTokens };
        await insertRows(statements, 'usage_days', [row], { key: ['owner', 'day'], existing: 'add' });
        await insertRows(statements, 'usage_tools', callsOf(owner, tools), { key: ['owner', 'tool'], existing: 'add' });
      });
    },

    async days({ owner, from, to }) {
      const rows = await sql.all('SELECT * FROM usage_days WHERE owner = ? AND day >= ? AND day <= ? ORDER BY day', [
        encodeText(owner),
        encodeText(from),
        encodeText(to),
      ]);
      return rows.map((row) => ({
        day: textOf(row, 'day'),
        requests: numberOf(row, 'requests'),
        searches: numberOf(row, 'searches'),
        inputTokens: numberOf(row, 'input_tokens'),
        outputTokens: numberOf(row, 'output_tokens'),
      }));
    },

    async tools({ owner, limit }) {
      const { text, values } = where(['owner = ?', encodeGiven(owner)]);
      const rows = await sql.all(
        `SELECT tool, CAST(SUM(calls) AS BIGINT) AS calls FROM usage_tools ${text}
         GROUP BY tool ORDER BY SUM(calls) DESC, tool LIMIT ?`,
        [...values, limit],
      );
      return rows.map((row) => ({ tool: decodedOf(row, 'tool'), calls: numberOf(row, 'calls') }));
    },
  };
}

/** In the order of the ids, so that two replicas can't deadlock on each other's rows. */
function callsOf(owner: string, tools: readonly ToolUse[]): readonly NewRow[] {
  const calls = new Map<string, number>();
  for (const { tool, calls: more } of tools) {
    if (tool === '' || tool.length > MOST_NAME_CHARACTERS) continue;
    const id = encodeText(tool);
    calls.set(id, (calls.get(id) ?? 0) + more);
  }
  const sorted = [...calls].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([tool, count]) => ({ owner, tool, calls: count }));
}
