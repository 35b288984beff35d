import type { SearchHit as Hit, RankedTool, SearchAnswer } from '@quartermaster/client';

/** One tool in the table: where each engine ranks it. */
export interface ResultRow {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly description: string;
  /** From the first engine, where it is among what was asked for. */
  readonly hit?: Hit;
  readonly rank?: number;
  /** By engine: the rank, 1 to 50, and the score. */
  readonly others: ReadonlyMap<string, { readonly rank: number; readonly score: number }>;
}

/** How many are asked of the first engine: the hits, and the nearest misses. */
export const MISSES = 5;

/** How many of another engine's best are shown although the first engine ranks them lower. */
const BEST_OF_OTHERS = 2;

/** The hits, then the nearest misses and what other engines rank first. */
export function resultRows(
  answer: SearchAnswer,
  limit: number,
  sort?: string,
): { readonly found: readonly ResultRow[]; readonly below: readonly ResultRow[] } {
  const hits = answer.results[0]?.hits ?? [];
  const compared = Object.entries(answer.compared ?? {});
  const row = (tool: RankedTool, hit?: Hit, rank?: number): ResultRow => ({
    tool: tool.tool,
    ...(tool.server === undefined ? {} : { server: tool.server }),
    name: tool.name,
    description: tool.description,
    ...(hit === undefined ? {} : { hit }),
    ...(rank === undefined ? {} : { rank }),
    others: new Map(
      compared.flatMap(([engine, tools]) => {
        const at = tools.findIndex((one) => one.tool === tool.tool);
        const other = tools[at];
        return other === undefined ? [] : [[engine, { rank: at + 1, score: other.score }] as const];
      }),
    ),
  });
  const rows = hits.map((hit, index) => row(hit, hit, index + 1));
  const shown = new Set(rows.map(({ tool }) => tool));
  const elsewhere = new Map(
    compared
      .flatMap(([, tools]) => tools.slice(0, BEST_OF_OTHERS))
      .filter(({ tool }) => !shown.has(tool))
      .map((tool) => [tool.tool, row(tool)]),
  );
  const [found, below] = [rows.slice(0, limit), [...rows.slice(limit), ...elsewhere.values()]];
  return sort === undefined ? { found, below } : { found: sorted(found, sort), below: sorted(below, sort) };
}

function sorted(rows: readonly ResultRow[], engine: string): readonly ResultRow[] {
  const place = ({ others }: ResultRow): number => others.get(engine)?.rank ?? Number.MAX_SAFE_INTEGER;
  return rows.toSorted((left, right) => place(left) - place(right));
}
