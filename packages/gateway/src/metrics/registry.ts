/** A number that only grows, by labels. */
export interface Counter {
  add(labels?: Labels, amount?: number): void;
}

/** A distribution, by labels. */
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

type Labels = Readonly<Record<string, string>>;

export interface Registry {
  counter(name: string, help: string): Counter;
  /** A number that may fall, by labels. */
  level(name: string, help: string): Counter;
  /** A value that is asked for when the metrics are. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same, for one that only grows. */
  total(name: string, help: string, read: () => number): void;
  /** The same by labels. */
  gauges(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** The text format of Prometheus. */
  render(): string;
}

/** How many series one metric may have. Further ones are counted together, so that labels can't fill the memory. */
const MOST_SERIES = 1_000;

/**
 * Counters, gauges and histograms in the text format of Prometheus. The three kinds take fewer lines than the dependency
 * would, and labels are bounded here.
 */
export function createRegistry(): Registry {
  const metrics: (() => string)[] = [];
  const summed = (name: string, help: string, type: 'counter' | 'gauge'): Counter => {
    const series = new Map<string, number>();
    metrics.push(() => head(name, help, type) + [...series].map(([key, value]) => line(name, key, value)).join(''));
    return {
      add(labels = {}, amount = 1) {
        const key = keyOf(series, labels);
        series.set(key, (series.get(key) ?? 0) + amount);
      },
    };
  };
  return {
    counter: (name, help) => summed(name, help, 'counter'),
    level: (name, help) => summed(name, help, 'gauge'),
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
    histogram(name, help, bounds) {
      const series = new Map<string, { readonly counts: number[]; sum: number; count: number }>();
      metrics.push(
        () =>
          head(name, help, 'histogram') +
          [...series]
            .map(([key, { counts, sum, count }]) => {
              const le = (bound: string): string => (key === '' ? `le="${bound}"` : `${key},le="${bound}"`);
              const buckets = bounds.map((bound, index) =>
                line(`${name}_bucket`, le(String(bound)), counts[index] ?? 0),
              );
              const rest = line(`${name}_bucket`, le('+Inf'), count);
              return buckets.join('') + rest + line(`${name}_sum`, key, sum) + line(`${name}_count`, key, count);
            })
            .join(''),
      );
      return {
        observe(value, labels = {}) {
          const key = keyOf(series, labels);
          const one = series.get(key) ?? { counts: bounds.map(() => 0), sum: 0, count: 0 };
          series.set(key, one);
          for (let at = bounds.length - 1; at >= 0 && value <= (bounds[at] ?? 0); at -= 1) {
            one.counts[at] = (one.counts[at] ?? 0) + 1;
          }
          one.sum += value;
          one.count += 1;
        },
      };
    },
    render: () => metrics.map((write) => write()).join(''),
  };
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

function keyOf(series: ReadonlyMap<string, unknown>, labels: Labels): string {
  let key = '';
  // Some ten of them for each request: nothing is made here that is not kept.
  for (const name in labels) key += `${key === '' ? '' : ','}${name}="${escapeValue(labels[name] ?? '')}"`;
  if (series.has(key) || series.size < MOST_SERIES) return key;
  return write(Object.keys(labels).map((name) => [name, 'other']));
}

function write(labels: readonly (readonly [string, string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeValue(value)}"`).join(',');
}

/** Most values come again and again. */
const escaped = new Map<string, string>();
const MOST_ESCAPED = 2_000;

function escapeValue(value: string): string {
  const known = escaped.get(value);
  if (known !== undefined) return known;
  const cut = value.slice(0, 200);
  const text = cut.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  if (escaped.size >= MOST_ESCAPED) escaped.clear();
  if (value.length <= 200) escaped.set(value, text);
  return text;
}
