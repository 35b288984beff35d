import { INSIGHT_COUNTS, type InsightCell, type InsightCounts, type InsightPlace } from '@quartermaster/host/store';

/** Keys and catalogs are the gateway's own, models are named by clients: only those can be many. */
const MOST_CELLS = 20_000;
const OTHERS = 'others';

type Names<Value> = Map<string, Value>;

/** Counts by place, added to in place. Looked up name by name: joining the names would take longer than counting. */
export class InsightCells {
  readonly #root: Names<Names<Names<Names<Names<InsightCell>>>>> = new Map();
  readonly #all: InsightCell[] = [];

  get all(): readonly InsightCell[] {
    return this.#all;
  }

  /** The cell that is counted in; all further models share one, once there are too many. */
  at({ day, owner, model, form, catalog }: InsightPlace): InsightCell {
    const found = this.#root.get(day)?.get(owner)?.get(model)?.get(form)?.get(catalog);
    if (found !== undefined) return found;
    if (this.#all.length >= MOST_CELLS && model !== OTHERS) {
      return this.at({ day, owner, model: OTHERS, form: '', catalog: '' });
    }
    const cell = { ...NO_COUNTS, day, owner, model, form, catalog };
    const catalogs = below(below(below(below(this.#root, day), owner), model), form);
    catalogs.set(catalog, cell);
    this.#all.push(cell);
    return cell;
  }
}

function below<Value>(names: Names<Names<Value>>, name: string): Names<Value> {
  const known = names.get(name) ?? new Map<string, Value>();
  names.set(name, known);
  return known;
}

export const NO_COUNTS: InsightCounts = Object.fromEntries(
  INSIGHT_COUNTS.map((count) => [count, 0]),
) as unknown as InsightCounts;
