import { compileGlob } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { ModelPrice } from '@quartermaster/host/config';
import type { InsightCell, InsightCounts } from '@quartermaster/host/store';
import { addCounts, NO_COUNTS } from './insight-meter.ts';

/** What tool search kept out and added, over many requests. */
export interface Totals extends InsightCounts {
  /** `keptOut - added`. Signed: never cut off at zero. */
  net: number;
  /** How many tokens of definitions a request must have on average for tool search to pay off. Absent if nothing was deferred. */
  breakEven?: number;
  /** In dollars, for models that have a price. Absent if none has. */
  usd?: {
    keptOut: number;
    added: number;
    net: number;
    /** The net if all of it had been read from the provider's cache: the least that it can be worth. */
    netCached: number;
  };
}

/** The savings of many requests, in total and by day, model, key and catalog. */
export interface Savings {
  readonly sinceMs: number;
  readonly total: Totals;
  readonly byDay: Readonly<Record<string, Totals>>;
  readonly byModel: Readonly<Record<string, Totals>>;
  readonly byKey: Readonly<Record<string, Totals>>;
  readonly byCatalog: Readonly<Record<string, Totals>>;
  /** Models with deferred tools but without a price, if there are prices. */
  readonly unpriced: readonly string[];
  /** What the dollars are computed from: the prices of the models with deferred tools, per million tokens. */
  readonly prices: Readonly<Record<string, { readonly input: number; readonly cacheRead?: number }>>;
}

/** The price of a model's input, by name or pattern. The first match counts. */
export function compilePrices(prices: Readonly<Record<string, ModelPrice>>): (model: string) => ModelPrice | undefined {
  const compiled = Object.entries(prices).map(([pattern, price]) => ({ glob: compileGlob(pattern), price }));
  return (model) => compiled.find(({ glob }) => glob.matches(model))?.price;
}

export function describeSavings(
  cells: readonly InsightCell[],
  options: {
    /** When counting began: now, if counts are stored and there are none yet. */
    readonly sinceMs: number;
    readonly isStored: boolean;
    readonly priceOf: ReturnType<typeof compilePrices>;
  },
): Savings {
  const { priceOf } = options;
  const total = noTotals();
  for (const cell of cells) add(total, cell, priceOf(cell.model));
  const grouped = (nameOf: (cell: InsightCell) => string): Readonly<Record<string, Totals>> => {
    const groups = new Map<string, Totals>();
    for (const cell of cells) {
      const name = nameOf(cell);
      const group = groups.get(name) ?? noTotals();
      add(group, cell, priceOf(cell.model));
      groups.set(name, group);
    }
    for (const group of groups.values()) settle(group);
    return Object.fromEntries(groups);
  };
  const deferred = [...new Set(cells.filter((cell) => cell.deferred > 0).map(({ model }) => model))];
  const firstMs = cells.reduce((least, { day }) => Math.min(least, Date.parse(day)), options.sinceMs);
  return {
    sinceMs: options.isStored ? firstMs : options.sinceMs,
    total: settle(total),
    byDay: grouped(({ day }) => day),
    byModel: grouped(({ model }) => model),
    byKey: grouped(({ owner }) => owner),
    byCatalog: grouped(({ catalog }) => catalog),
    unpriced: total.usd === undefined ? [] : deferred.filter((model) => priceOf(model) === undefined),
    prices: Object.fromEntries(
      deferred.flatMap((model) => {
        const price = priceOf(model);
        if (price === undefined) return [];
        const { input, cacheRead } = price;
        return [[model, { input, ...defined({ cacheRead }) }]];
      }),
    ),
  };
}

function noTotals(): Totals {
  return { ...NO_COUNTS, net: 0 };
}

/** Definitions are input, at the price of a model's input tokens. */
function add(totals: Totals, cell: InsightCell, price: ModelPrice | undefined): void {
  addCounts(totals, cell);
  if (price === undefined) return;
  totals.usd ??= { keptOut: 0, added: 0, net: 0, netCached: 0 };
  totals.usd.keptOut += (cell.keptOut * price.input) / MILLION;
  totals.usd.added += (cell.added * price.input) / MILLION;
  const cachedPrice = price.cacheRead ?? CACHE_READ_SHARE * price.input;
  totals.usd.netCached += ((cell.keptOut - cell.added) * cachedPrice) / MILLION;
}

function settle(totals: Totals): Totals {
  totals.net = totals.keptOut - totals.added;
  if (totals.deferred > 0) totals.breakEven = Math.round(totals.added / totals.deferred);
  if (totals.usd !== undefined) totals.usd.net = totals.usd.keptOut - totals.usd.added;
  return totals;
}

const MILLION = 1_000_000;

/** What hosts charge for input that they have cached, of what input costs, where the settings don't say. */
const CACHE_READ_SHARE = 0.1;
