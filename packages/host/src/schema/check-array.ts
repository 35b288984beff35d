import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { canonicalText } from './canonical-text.ts';
import { checkSize } from './check-size.ts';
import type { Evaluator, Subject } from './evaluator.ts';
import type { Verdict } from './verdict.ts';

/** A subject of a list. */
interface ListSubject extends Subject {
  readonly value: readonly Json[];
}

export function checkArray(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  if (!isListSubject(subject)) return;
  checkSize(subject, { noun: 'Items', actual: subject.value.length }, verdict);
  checkItems(subject, verdict, evaluation);
  if (subject.schema.uniqueItems === true) checkUnique(subject, verdict, evaluation);
  if (subject.schema.contains !== undefined) checkContains(subject, verdict, evaluation);
}

function isListSubject(subject: Subject): subject is ListSubject {
  return Array.isArray(subject.value);
}

function checkItems(subject: ListSubject, verdict: Verdict, evaluation: Evaluator): void {
  const { tuple, rest } = itemSchemas(subject.schema);
  const end = rest === undefined ? Math.min(tuple.length, subject.value.length) : subject.value.length;
  for (let index = 0; index < end; index += 1) {
    if (!evaluation.affords(1, verdict)) return;
    const schema = tuple[index] ?? rest;
    if (schema === undefined) continue;
    verdict.includeChild(evaluation.applyTo(schema, subject, { key: index, value: subject.value[index] ?? null }));
    if (evaluation.index.usesUnevaluated) verdict.see(index);
  }
}

/** The schemas by position, and the one for the rest: `prefixItems` and `items`, before 2020 `items` and `additionalItems`. */
function itemSchemas(schema: JsonObject): { readonly tuple: readonly Json[]; readonly rest: Json | undefined } {
  const { prefixItems, items, additionalItems } = schema;
  if (Array.isArray(items)) return { tuple: items, rest: additionalItems };
  return { tuple: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
}

function checkUnique({ value, place }: ListSubject, verdict: Verdict, evaluation: Evaluator): void {
  const firsts = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const text = canonicalText(item, evaluation);
    if (text === undefined) {
      verdict.doubt();
      return;
    }
    const first = firsts.get(text);
    if (first !== undefined) {
      verdict.fail({ kind: 'repeated', place, first, second: index });
      return;
    }
    firsts.set(text, index);
  }
}

function checkContains(subject: ListSubject, verdict: Verdict, evaluation: Evaluator): void {
  const { contains = true, minContains, maxContains } = subject.schema;
  const least = typeof minContains === 'number' ? minContains : 1;
  const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
  let count = 0;
  let undecided = 0;
  for (const [index, value] of subject.value.entries()) {
    const { truth } = evaluation.applyTo(contains, subject, { key: index, value });
    if (truth === 'valid') count += 1;
    if (truth === 'unknown') undecided += 1;
    if (truth === 'valid' && evaluation.index.usesUnevaluated) verdict.see(index);
  }
  if (count > most || count + undecided < least) {
    verdict.fail({ kind: 'contains', place: subject.place, least, most, count });
  } else if (undecided > 0) {
    verdict.doubt();
  }
}
