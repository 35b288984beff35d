import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import { unknownPropertyFailure } from './check-object.ts';
import type { Evaluator, Subject } from './evaluator.ts';
import type { Verdict } from './verdict.ts';

/** `unevaluatedProperties` and `unevaluatedItems`: what no other keyword has evaluated. */
export function checkUnevaluated(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { schema, value } = subject;
  if (isJsonObject(value) && schema.unevaluatedProperties !== undefined) {
    checkRest(subject, Object.entries(value), schema.unevaluatedProperties);
  }
  if (Array.isArray(value) && schema.unevaluatedItems !== undefined) {
    checkRest(subject, value.entries(), schema.unevaluatedItems);
  }

  function checkRest(from: Subject, children: Iterable<readonly [string | number, Json]>, part: Json): void {
    const isCertain = verdict.isSeenCertain;
    for (const [key, child] of children) {
      if (verdict.hasSeen(key)) continue;
      if (!evaluation.affords(1, verdict)) return;
      const outcome = evaluation.applyTo(part, from, { key, value: child });
      verdict.see(key);
      if (outcome.truth === 'invalid' && !isCertain) verdict.doubt();
      else if (part === false && typeof key === 'string' && isJsonObject(value)) {
        verdict.fail(unknownPropertyFailure({ ...from, value }, key));
      } else verdict.includeChild(outcome);
    }
  }
}
