import { Series } from './series.ts';

/** The part of a metric with these values of its labels, in their order. Listed from the first call on. */
type Labelled<Labels extends readonly string[], Value> = (
  ...values: { readonly [At in keyof Labels]: string }
) => Value;

/** A number to count in. */
interface Count {
  value: number;
}

export interface Registry {
  /** A number that only grows. */
  counter<const Labels extends readonly string[]>(name: string, help: string, labels: Labels): Labelled<Labels, Count>;
  /** A number that may fall. */
  level<const Labels extends readonly string[]>(name: string, help: string, labels: Labels): Labelled<Labels, Count>;
  /** A value that is computed when the metrics are read. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same, for one that only grows. */
  total(name: string, help: string, read: () => number): void;
  /** The same by a label. */
  gauges(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void;
  histogram<const Labels extends readonly string[]>(
    name: string,
    help: string,
    options: { readonly bounds: readonly number[]; readonly labels: Labels },
  ): Labelled<Labels, Buckets>;
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
  const summed = (name: string, start: string, labels: readonly string[]) => {
    const { series, at } = createSeries(labels, () => ({ value: 0 }));
    metrics.push(() => start + series.all.map(({ key, value }) => line(name, key, value.value)).join(''));
    return at;
  };
  return {
    counter: (name, help, labels) => summed(name, head(name, help, 'counter'), labels),
    level: (name, help, labels) => summed(name, head(name, help, 'gauge'), labels),
    gauges(name, help, label, read) {
      metrics.push(() => {
        const values = [...read()].slice(0, MOST_SERIES);
        return (
          head(name, help, 'gauge') + values.map(([key, value]) => line(name, write([label], [key]), value)).join('')
        );
      });
    },
    gauge(name, help, read) {
      metrics.push(() => head(name, help, 'gauge') + line(name, '', read()));
    },
    total(name, help, read) {
      metrics.push(() => head(name, help, 'counter') + line(name, '', read()));
    },
    histogram(name, help, { bounds, labels }) {
      const { series, at } = createSeries(labels, () => new Buckets(bounds));
      metrics.push(
        () =>
          head(name, help, 'histogram') +
          series.all
            .map(({ key, value: { counts, sum } }) => {
              let count = 0;
              const buckets = counts.map((inBucket, bucket) => {
                count += inBucket;
                const le = `le="${bounds[bucket] ?? '+Inf'}"`;
                return line(`${name}_bucket`, key === '' ? le : `${key},${le}`, count);
              });
              return buckets.join('') + line(`${name}_sum`, key, sum) + line(`${name}_count`, key, count);
            })
            .join(''),
      );
      return at;
    },
    render() {
      beforeRender();
      return metrics.map((write) => write()).join('');
    },
  };
}

/** A distribution. */
class Buckets {
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

/** The series of one metric, each with its labels in Prometheus's format. */
function createSeries<Value>(labels: readonly string[], make: () => Value) {
  const series = new Series({
    most: MOST_SERIES,
    others: () => labels.map(() => OTHER),
    make: (values) => ({ key: write(labels, values), value: make() }),
  });
  return {
    series,
    at: (...values: readonly string[]): Value => series.at(values.some(isLong) ? values.map(cut) : values).value,
  };
}

const OTHER = 'other';

function write(labels: readonly string[], values: readonly string[]): string {
  return labels.map((label, at) => `${label}="${escapeValue(cut(values[at] ?? ''))}"`).join(',');
}

const MOST_CHARACTERS = 200;

function isLong(value: string): boolean {
  return value.length > MOST_CHARACTERS;
}

function cut(value: string): string {
  return isLong(value) ? value.slice(0, MOST_CHARACTERS) : value;
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
