import type { Json } from '@quartermaster/core/catalog';
import type { Evaluator, Subject } from './evaluator.ts';
import { narrowForms } from './narrow-forms.ts';
import type { Verdict } from './verdict.ts';

/** `allOf`, `anyOf`, `oneOf`, `not`, `if`, `then` and `else`. */
export function checkCombinations(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { schema } = subject;
  for (const part of listIn(schema.allOf)) verdict.include(evaluation.apply(part, subject));
  checkAnyOf(subject, verdict, evaluation);
  checkOneOf(subject, verdict, evaluation);
  if (schema.not !== undefined) {
    const { truth } = evaluation.apply(schema.not, subject);
    if (truth === 'valid') verdict.fail({ kind: 'not', place: subject.place, schema: schema.not });
    if (truth === 'unknown') verdict.doubt();
  }
  if (schema.if !== undefined) checkCondition(subject, verdict, evaluation);
}

function checkAnyOf(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const forms = listIn(subject.schema.anyOf);
  if (forms.length === 0) return;
  const outcomes: Verdict[] = [];
  for (const form of forms) {
    const outcome = evaluation.apply(form, subject);
    outcomes.push(outcome);
    if (outcome.truth === 'valid' && !evaluation.index.usesUnevaluated) return;
  }
  settle(subject, verdict, outcomes);
}

function checkOneOf(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const forms = listIn(subject.schema.oneOf);
  if (forms.length === 0) return;
  const outcomes = forms.map((form) => evaluation.apply(form, subject));
  const fitting = [...outcomes.keys()].filter((index) => outcomes[index]?.truth === 'valid');
  if (fitting.length > 1) {
    verdict.fail({ kind: 'many-forms', place: subject.place, forms, fitting });
    return;
  }
  settle(subject, verdict, outcomes);
  if (outcomes.some(({ truth }) => truth === 'unknown')) verdict.doubt();
}

/** At least one form has to fit. */
function settle(subject: Subject, verdict: Verdict, outcomes: readonly Verdict[]): void {
  const fitting = outcomes.filter(({ truth }) => truth === 'valid');
  const isUndecided = outcomes.some(({ truth }) => truth === 'unknown');
  for (const outcome of fitting) verdict.adoptSeen(outcome);
  if (isUndecided) verdict.isSeenCertain = false;
  if (fitting.length > 0) return;
  if (isUndecided) {
    verdict.doubt();
    return;
  }
  const forms = outcomes.map(({ failures }) => failures);
  for (const failure of narrowForms(subject, forms)) verdict.fail(failure);
  // What the forms evaluated is lost with them: nothing may be reported as unexpected on top of the failure.
  verdict.isSeenCertain = false;
}

function checkCondition(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { then = true, else: otherwise = true } = subject.schema;
  const condition = evaluation.apply(subject.schema.if ?? true, subject);
  if (condition.truth === 'valid') {
    verdict.adoptSeen(condition);
    verdict.include(evaluation.apply(then, subject));
  } else if (condition.truth === 'invalid') verdict.include(evaluation.apply(otherwise, subject));
  else {
    const branches = [evaluation.apply(then, subject), evaluation.apply(otherwise, subject)];
    verdict.isSeenCertain = false;
    if (branches.every(({ truth }) => truth === 'invalid')) verdict.include(branches[0] ?? condition);
    else if (branches.some(({ truth }) => truth !== 'valid')) verdict.doubt();
  }
}

function listIn(list: Json | undefined): readonly Json[] {
  return Array.isArray(list) ? list : [];
}
