import { checkSize } from './check-size.ts';
import type { Evaluator, Subject } from './evaluator.ts';
import type { Verdict } from './verdict.ts';

const CHARACTERS_PER_STEP = 32;

/** `minLength`, `maxLength` (in code points) and `pattern`. `format` is an annotation and not checked. */
export function checkString(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { schema, value, place } = subject;
  if (typeof value !== 'string') return;
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    if (!evaluation.affords(value.length / CHARACTERS_PER_STEP, verdict)) return;
    checkSize(subject, { noun: 'Length', actual: codePoints(value) }, verdict);
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
