import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import { strangerFailure } from './check-object.ts';
import type { Verdict } from './verdict.ts';
import type { Evaluation, Visit } from './visit.ts';

/** `unevaluatedProperties` and `unevaluatedItems`: what no other keyword has looked at. */
export function checkUnevaluated(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const { schema, value } = visit;
  if (isJsonObject(value) && schema.unevaluatedProperties !== undefined) {
    checkRest(visit, Object.entries(value), schema.unevaluatedProperties);
  }
  if (Array.isArray(value) && schema.unevaluatedItems !== undefined) {
    checkRest(visit, value.entries(), schema.unevaluatedItems);
  }

  function checkRest(from: Visit, children: Iterable<readonly [string | number, Json]>, part: Json): void {
    const isCertain = verdict.isSeenCertain;
    for (const [key, child] of children) {
      if (verdict.hasSeen(key)) continue;
      if (!evaluation.spend(1)) {
        verdict.doubt();
        return;
      }
      const outcome = evaluation.applyTo(part, from, { key, value: child });
      verdict.see(key);
      if (outcome.truth === 'invalid' && !isCertain) verdict.doubt();
      else if (part === false && typeof key === 'string' && isJsonObject(value)) {
        verdict.fail(strangerFailure({ ...from, value }, key));
      } else verdict.includeChild(outcome);
    }
  }
}
