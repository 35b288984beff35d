import type { Evaluation, Subject } from './subject.ts';
import type { Verdict } from './verdict.ts';

const CHARACTERS_PER_STEP = 32;

/** `minLength`, `maxLength` (in code points) and `pattern`. `format` is an annotation and not checked. */
export function checkString(subject: Subject, verdict: Verdict, evaluation: Evaluation): void {
  const { schema, value, place } = subject;
  if (typeof value !== 'string') return;
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    if (!evaluation.spend(value.length / CHARACTERS_PER_STEP)) {
      verdict.doubt();
      return;
    }
    const actual = codePoints(value);
    if (typeof minLength === 'number' && actual < minLength) {
      verdict.fail({ kind: 'bound', place, bound: 'minLength', limit: minLength, actual });
    }
    if (typeof maxLength === 'number' && actual > maxLength) {
      verdict.fail({ kind: 'bound', place, bound: 'maxLength', limit: maxLength, actual });
    }
  }
  if (typeof pattern !== 'string') return;
  const answer = evaluation.matches(pattern, value);
  if (answer === 'unknown') verdict.doubt();
  if (answer === 'invalid') verdict.fail({ kind: 'pattern', place, pattern, value });
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
