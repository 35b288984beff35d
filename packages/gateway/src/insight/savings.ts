import type { RequestRecord } from '../events/index.ts';

/** What tool search kept out and added, over many requests. */
export interface Totals {
  requests: number;
  searches: number;
  foundNothing: number;
  keptOut: number;
  added: number;
  /** Signed: never cut off at zero. */
  net: number;
}

export interface Savings {
  readonly sinceMs: number;
  readonly total: Totals;
  readonly byDay: Readonly<Record<string, Totals>>;
  readonly byModel: Readonly<Record<string, Totals>>;
  readonly byKey: Readonly<Record<string, Totals>>;
}

/** Counts since the process began. Bounded: names beyond the first two hundred are counted together. */
export interface SavingsMeter {
  add(record: RequestRecord): void;
  /** What one key's requests saved, or everyone's. */
  read(owner: string | undefined): Savings;
}

const MOST_NAMES = 200;
const OTHERS = 'others';

export function createSavingsMeter(now: () => number): SavingsMeter {
  const sinceMs = now();
  /** By key, day and model. */
  const cells = new Map<string, Cell>();
  return {
    add({ owner, atMs, model = '', searches, tokens }) {
      const day = new Date(atMs).toISOString().slice(0, 10);
      const cell = cellFor(cells, { owner, day, model });
      cell.requests += 1;
      cell.searches += searches.length;
      cell.foundNothing += searches.filter(({ outcome }) => outcome === 'none').length;
      if (tokens === undefined) return;
      cell.keptOut += tokens.keptOut;
      cell.added += tokens.added;
      cell.net += tokens.net;
    },
    read(owner) {
      const seen = [...cells.values()].filter((cell) => owner === undefined || cell.owner === owner);
      const total = noTotals();
      for (const { totals } of seen) sum(total, totals);
      return {
        sinceMs,
        total,
        byDay: grouped(seen, ({ day }) => day),
        byModel: grouped(seen, ({ model }) => model),
        byKey: grouped(seen, (cell) => cell.owner),
      };
    },
  };
}

interface Cell {
  readonly owner: string;
  readonly day: string;
  readonly model: string;
  readonly totals: Totals;
}

function grouped(cells: readonly Cell[], nameOf: (cell: Cell) => string): Readonly<Record<string, Totals>> {
  const groups = new Map<string, Totals>();
  for (const cell of cells) {
    const name = nameOf(cell);
    const group = groups.get(name) ?? noTotals();
    sum(group, cell.totals);
    groups.set(name, group);
  }
  return Object.fromEntries(groups);
}

/** Keys are the gateway's own, models are named by clients: only those are many. */
const MOST_CELLS = 20_000;

function cellFor(cells: Map<string, Cell>, name: Omit<Cell, 'totals'>): Totals {
  const key = JSON.stringify([name.owner, name.day, name.model]);
  const known = cells.get(key);
  if (known !== undefined) return known.totals;
  const models = new Set([...cells.values()].map(({ model }) => model));
  const isOther = (models.size >= MOST_NAMES && !models.has(name.model)) || cells.size >= MOST_CELLS;
  if (isOther && name.model !== OTHERS) return cellFor(cells, { ...name, model: OTHERS });
  const totals = noTotals();
  cells.set(key, { ...name, totals });
  return totals;
}

function noTotals(): Totals {
  return { requests: 0, searches: 0, foundNothing: 0, keptOut: 0, added: 0, net: 0 };
}

function sum(into: Totals, from: Totals): void {
  for (const name of Object.keys(into) as (keyof Totals)[]) into[name] += from[name];
}
