import type { Json } from '@quartermaster/core/catalog';
import type { Subject } from './evaluator.ts';
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

/** Whether a number is a multiple of another in decimal notation, so that 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return true;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const left = decimal(value);
  const right = decimal(divisor);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaled(left, exponent) % scaled(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** A double's shortest text has at most 17 digits and an exponent within ±324, so the integers below have under 700 digits. */
function decimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}
