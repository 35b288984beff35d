import type { Json } from '@quartermaster/core/catalog';
import { isMultipleOf } from './is-multiple-of.ts';
import type { Subject } from './subject.ts';
import type { Verdict } from './verdict.ts';

/** Bounds of numbers. Draft 4's boolean `exclusiveMinimum` makes `minimum` exclusive; later ones carry the limit themselves. */
export function checkNumber(subject: Subject, verdict: Verdict): void {
  const { schema, value, place } = subject;
  if (typeof value !== 'number') return;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  const fail = (bound: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum', limit: number): void =>
    verdict.fail({ kind: 'bound', place, bound, limit, actual: value });
  if (isLimit(above) && value <= above) fail('exclusiveMinimum', above);
  else if (isLimit(minimum) && value < minimum) fail('minimum', minimum);
  if (isLimit(below) && value >= below) fail('exclusiveMaximum', below);
  else if (isLimit(maximum) && value > maximum) fail('maximum', maximum);
  if (isLimit(multipleOf) && multipleOf > 0 && !isMultipleOf(value, multipleOf)) {
    verdict.fail({ kind: 'bound', place, bound: 'multipleOf', limit: multipleOf, actual: value });
  }
}

function isLimit(limit: Json | undefined): limit is number {
  return typeof limit === 'number';
}
