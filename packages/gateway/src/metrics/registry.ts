/** A number that only grows, by labels. */
export interface Counter<Label extends string> {
  add(labels: Labels<Label>, amount?: number): void;
  /** The counter of these labels, to be held by code that counts for each request. Listed from now on. */
  of(labels: Labels<Label>): Count;
}

/** One series of a counter. */
export interface Count {
  value: number;
}

/** A distribution, by labels. */
export interface Histogram<Label extends string> {
  observe(value: number, labels: Labels<Label>): void;
  /** The distribution of these labels, to be held by code that counts for each request. Listed from now on. */
  of(labels: Labels<Label>): Distribution;
}

/** One series of a histogram. */
export interface Distribution {
  observe(value: number): void;
}

type Labels<Label extends string = string> = Readonly<Record<Label, string>>;

export interface Registry {
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /** A number that may fall, by labels. */
  level<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /** A value that is computed when the metrics are read. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same, for one that only grows. */
  total(name: string, help: string, read: () => number): void;
  /** The same by labels. */
  gauges(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void;
  histogram<Label extends string>(
    name: string,
    help: string,
    options: { readonly bounds: readonly number[]; readonly labels: readonly Label[] },
  ): Histogram<Label>;
  /** Prometheus's text format. */
  render(): string;
}

/** How many series one metric may have. Further ones are counted together, so that labels can't fill the memory. */
const MOST_SERIES = 1_000;

/**
 * Counters, gauges and histograms in Prometheus's text format. The three kinds take fewer lines than the dependency
 * would, and labels are limited here.
 */
export function createRegistry({ beforeRender }: { beforeRender(): void }): Registry {
  const metrics: (() => string)[] = [];
  const summed = <Label extends string>(name: string, start: string, labels: readonly Label[]): Counter<Label> => {
    const series = createSeries(labels, () => ({ value: 0 }));
    metrics.push(() => start + series.all.map(([key, { value }]) => line(name, key, value)).join(''));
    return {
      add(values, amount = 1) {
        series.at(values).value += amount;
      },
      of: series.at,
    };
  };
  return {
    counter: (name, help, labels) => summed(name, head(name, help, 'counter'), labels),
    level: (name, help, labels) => summed(name, head(name, help, 'gauge'), labels),
    gauges(name, help, read) {
      metrics.push(() => {
        const values = [...read()].slice(0, MOST_SERIES);
        const lines = values.map(([labels, value]) => line(name, write(Object.entries(labels)), value));
        return head(name, help, 'gauge') + lines.join('');
      });
    },
    gauge(name, help, read) {
      metrics.push(() => head(name, help, 'gauge') + line(name, '', read()));
    },
    total(name, help, read) {
      metrics.push(() => head(name, help, 'counter') + line(name, '', read()));
    },
    histogram(name, help, { bounds, labels }) {
      const series = createSeries(labels, () => new Buckets(bounds));
      metrics.push(
        () =>
          head(name, help, 'histogram') +
          series.all
            .map(([key, { counts, sum }]) => {
              let count = 0;
              const buckets = counts.map((inBucket, at) => {
                count += inBucket;
                const le = `le="${bounds[at] ?? '+Inf'}"`;
                return line(`${name}_bucket`, key === '' ? le : `${key},${le}`, count);
              });
              return buckets.join('') + line(`${name}_sum`, key, sum) + line(`${name}_count`, key, count);
            })
            .join(''),
      );
      return {
        observe: (value, values) => series.at(values).observe(value),
        of: series.at,
      };
    },
    render() {
      beforeRender();
      return metrics.map((write) => write()).join('');
    },
  };
}

class Buckets implements Distribution {
  /** One count per bucket, and one for values above them all. */
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

/** The series of one metric. */
interface Series<Label extends string, Value> {
  /** Created if it is new; the shared one if there are too many. */
  at(values: Labels<Label>): Value;
  /** Each with its labels in Prometheus's format, the oldest first. */
  readonly all: readonly (readonly [string, Value])[];
}

/** Looked up label by label: joining their values would take longer. */
function createSeries<Label extends string, Value>(labels: readonly Label[], make: () => Value): Series<Label, Value> {
  const all: [string, Value][] = [];
  const root: Place<Value> = { next: new Map(), value: undefined };
  const others = Object.fromEntries(labels.map((label) => [label, OTHER])) as Labels<Label>;

  function find(values: Labels<Label>): Value | undefined {
    let place: Place<Value> | undefined = root;
    for (const label of labels) {
      place = place.next.get(cut(values[label]));
      if (place === undefined) return undefined;
    }
    return place.value;
  }

  function add(values: Labels<Label>): Value {
    let place = root;
    for (const label of labels) {
      const value = cut(values[label]);
      const next = place.next.get(value) ?? { next: new Map(), value: undefined };
      place.next.set(value, next);
      place = next;
    }
    if (place.value === undefined) {
      place.value = make();
      all.push([write(labels.map((label) => [label, values[label]])), place.value]);
    }
    return place.value;
  }

  return { all, at: (values) => find(values) ?? add(all.length < MOST_SERIES ? values : others) };
}

/** What a label's value leads to: the next label's values, or the series. */
interface Place<Value> {
  readonly next: Map<string, Place<Value>>;
  value: Value | undefined;
}

const OTHER = 'other';

function write(labels: readonly (readonly [string, string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeValue(cut(value))}"`).join(',');
}

const MOST_CHARACTERS = 200;

function cut(value: string): string {
  return value.length <= MOST_CHARACTERS ? value : value.slice(0, MOST_CHARACTERS);
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
