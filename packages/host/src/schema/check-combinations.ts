import type { Json } from '@quartermaster/core/catalog';
import { narrowForms } from './narrow-forms.ts';
import type { Verdict } from './verdict.ts';
import type { Evaluation, Visit } from './visit.ts';

/** `allOf`, `anyOf`, `oneOf`, `not`, `if`, `then` and `else`. */
export function checkCombinations(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const { schema } = visit;
  for (const part of listIn(schema.allOf)) verdict.include(evaluation.apply(part, visit));
  checkAnyOf(visit, verdict, evaluation);
  checkOneOf(visit, verdict, evaluation);
  if (schema.not !== undefined) {
    const { truth } = evaluation.apply(schema.not, visit);
    if (truth === 'valid') verdict.fail({ kind: 'not', place: visit.place, schema: schema.not });
    if (truth === 'unknown') verdict.doubt();
  }
  if (schema.if !== undefined) checkCondition(visit, verdict, evaluation);
}

function checkAnyOf(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const forms = listIn(visit.schema.anyOf);
  if (forms.length === 0) return;
  const outcomes: Verdict[] = [];
  for (const form of forms) {
    const outcome = evaluation.apply(form, visit);
    outcomes.push(outcome);
    if (outcome.truth === 'valid' && !evaluation.index.usesUnevaluated) return;
  }
  settle(visit, verdict, outcomes);
}

function checkOneOf(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const forms = listIn(visit.schema.oneOf);
  if (forms.length === 0) return;
  const outcomes = forms.map((form) => evaluation.apply(form, visit));
  const fitting = [...outcomes.keys()].filter((index) => outcomes[index]?.truth === 'valid');
  if (fitting.length > 1) {
    verdict.fail({ kind: 'many-forms', place: visit.place, forms, fitting });
    return;
  }
  settle(visit, verdict, outcomes);
  if (outcomes.some(({ truth }) => truth === 'unknown')) verdict.doubt();
}

/** At least one form has to fit. */
function settle(visit: Visit, verdict: Verdict, outcomes: readonly Verdict[]): void {
  const fitting = outcomes.filter(({ truth }) => truth === 'valid');
  const isUndecided = outcomes.some(({ truth }) => truth === 'unknown');
  for (const outcome of fitting) verdict.adoptSeen(outcome);
  if (isUndecided) verdict.isSeenCertain = false;
  if (fitting.length > 0) return;
  if (isUndecided) {
    verdict.doubt();
    return;
  }
  for (const failure of narrowForms(
    visit,
    outcomes.map(({ failures }) => failures),
  ))
    verdict.fail(failure);
  // What the forms looked at is lost with them: nothing may be called unexpected on top of the failure.
  verdict.isSeenCertain = false;
}

function checkCondition(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const { then = true, else: otherwise = true } = visit.schema;
  const condition = evaluation.apply(visit.schema.if ?? true, visit);
  if (condition.truth === 'valid') {
    verdict.adoptSeen(condition);
    verdict.include(evaluation.apply(then, visit));
  } else if (condition.truth === 'invalid') verdict.include(evaluation.apply(otherwise, visit));
  else {
    const branches = [evaluation.apply(then, visit), evaluation.apply(otherwise, visit)];
    verdict.isSeenCertain = false;
    if (branches.every(({ truth }) => truth === 'invalid')) verdict.include(branches[0] ?? condition);
    else if (branches.some(({ truth }) => truth !== 'valid')) verdict.doubt();
  }
}

function listIn(list: Json | undefined): readonly Json[] {
  return Array.isArray(list) ? list : [];
}
