import type { Json } from '@quartermaster/core/catalog';
import type { Evaluator } from './evaluator.ts';

/** The budget for the text; it is notified if the value is too deep. */
type Budget = Pick<Evaluator, 'spend' | 'note'>;

/** Two values are equal, in the sense of JSON Schema, exactly if their texts are: the order of keys doesn't count. */
export function canonicalText(value: Json, budget: Budget): string | undefined {
  return write(value, budget, 0);
}

/** Deeper values are left undecided: the writer is recursive. */
const MOST_LEVELS = 500;
const CHARACTERS_PER_STEP = 32;

function write(value: Json, budget: Budget, level: number): string | undefined {
  if (typeof value === 'string') {
    return budget.spend(1 + value.length / CHARACTERS_PER_STEP) ? JSON.stringify(value) : undefined;
  }
  if (level > MOST_LEVELS) budget.note('too-deep');
  if (level > MOST_LEVELS || !budget.spend(1)) return undefined;
  if (typeof value !== 'object' || value === null) return value === 0 ? '0' : String(value);
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  if (!budget.spend(keys.length)) return undefined;
  if (!isList) keys.sort();
  const parts: string[] = [];
  for (const key of keys) {
    const child = (value as { readonly [key: string]: Json })[key];
    const text = write(child ?? null, budget, level + 1);
    if (text === undefined) return undefined;
    parts.push(isList ? text : `${JSON.stringify(key)}:${text}`);
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}
