import type { Score } from './score-ranking.ts';
import { METRIC_TITLES, METRICS, type Summary } from './summarise-outcomes.ts';

/** A figure that must be reached. */
export interface Floor {
  readonly metric: keyof Score;
  readonly percent: number;
}

/** Reads `recall@5=80,hit@1=60`. Returns a string that says what is wrong otherwise. */
export function parseFloors(text: string): readonly Floor[] | string {
  const floors: Floor[] = [];
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^\s*([^=]+)=(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    const metric = METRICS.find((known) => METRIC_TITLES[known].toLowerCase() === name.trim().toLowerCase());
    const percent = Number(value);
    if (metric === undefined || value === '' || percent > 100) return `Allowed: ${NAMES}, each with =0 to =100.`;
    floors.push({ metric, percent });
  }
  return floors;
}

/** The figures that miss their floor, one sentence each. Without queries there is no figure, which also misses it. */
export function findShortfalls({ scores }: Pick<Summary, 'scores'>, floors: readonly Floor[]): readonly string[] {
  return floors.flatMap(({ metric, percent }) => {
    const mean = scores[metric].mean * 100;
    if (mean >= percent) return [];
    const title = METRIC_TITLES[metric];
    if (Number.isNaN(mean)) return [`${title} could not be measured, since no query has a relevant tool`];
    // Rounded down: 79.96 must not read as "80.0, not 80".
    return [`${title} is ${(Math.floor(mean * 10) / 10).toFixed(1)}, below ${percent}`];
  });
}

const NAMES = METRICS.map((metric) => METRIC_TITLES[metric]).join(', ');
