import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { checkSize } from './check-size.ts';
import type { Evaluator, Subject } from './evaluator.ts';
import type { Failure } from './failure.ts';
import type { Verdict } from './verdict.ts';

/** A subject of an object, with its keys. */
interface ObjectSubject extends Subject {
  readonly value: JsonObject;
  readonly keys: readonly string[];
}

export function checkObject(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { value, schema } = subject;
  if (!isJsonObject(value)) return;
  const keys = Object.keys(value);
  const required = stringsIn(schema.required);
  if (!evaluation.affords(keys.length + required.length, verdict)) return;
  const objectSubject = { ...subject, value, keys };
  checkRequired(objectSubject, required, verdict);
  checkSize(objectSubject, { noun: 'Properties', actual: keys.length }, verdict);
  checkProperties(objectSubject, verdict, evaluation);
  checkNames(objectSubject, verdict, evaluation);
  checkDependencies(objectSubject, verdict, evaluation);
}

function checkRequired(
  { schema, value, keys, place }: ObjectSubject,
  required: readonly string[],
  verdict: Verdict,
): void {
  const names = required.filter((name) => !Object.hasOwn(value, name));
  if (names.length === 0) return;
  const properties = mapIn(schema.properties);
  const isOpen = schema.additionalProperties !== false && schema.unevaluatedProperties !== false;
  const unknownNames = isOpen ? keys.filter((key) => !Object.hasOwn(properties, key)) : [];
  verdict.fail({ kind: 'missing', place, names: [...new Set(names)], properties, unknownNames });
}

function checkProperties(subject: ObjectSubject, verdict: Verdict, evaluation: Evaluator): void {
  const { schema, value, keys } = subject;
  const properties = mapIn(schema.properties);
  const patterns = Object.entries(mapIn(schema.patternProperties));
  const additional = schema.additionalProperties;
  if (!evaluation.affords(patterns.length, verdict)) return;
  for (const key of keys) {
    const child = { key, value: value[key] ?? null };
    let isKnown = Object.hasOwn(properties, key);
    let isKnownCertain = true;
    if (isKnown) verdict.includeChild(evaluation.applyTo(properties[key] ?? true, subject, child));
    for (const [pattern, part] of patterns) {
      const answer = evaluation.matches(pattern, key);
      if (answer === 'unknown') isKnownCertain = false;
      if (answer !== 'valid') continue;
      isKnown = true;
      verdict.includeChild(evaluation.applyTo(part, subject, child));
    }
    if (!isKnownCertain) verdict.doubt();
    else if (!isKnown && additional === false) verdict.fail(unknownPropertyFailure(subject, key));
    else if (!isKnown && additional !== undefined) {
      verdict.includeChild(evaluation.applyTo(additional, subject, child));
    }
    if (evaluation.index.usesUnevaluated && (isKnown || additional !== undefined)) verdict.see(key);
  }
}

/** A name that an object may not have. */
export function unknownPropertyFailure(subject: Subject & { readonly value: JsonObject }, name: string): Failure {
  const { value, schema } = subject;
  return {
    kind: 'unknown-property',
    place: { parent: subject.place, key: name },
    name,
    object: value,
    properties: mapIn(schema.properties),
  };
}

function checkNames(subject: ObjectSubject, verdict: Verdict, evaluation: Evaluator): void {
  const { propertyNames } = subject.schema;
  if (propertyNames === undefined) return;
  for (const name of subject.keys) {
    const { truth, failures } = evaluation.applyTo(propertyNames, subject, { key: name, value: name });
    if (truth === 'unknown') verdict.doubt();
    if (truth === 'invalid')
      verdict.fail({ kind: 'name', place: { parent: subject.place, key: name }, name, failures });
  }
}

function checkDependencies(subject: ObjectSubject, verdict: Verdict, evaluation: Evaluator): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependencies = subject.schema[keyword];
    if (!isJsonObject(dependencies)) continue;
    for (const name of subject.keys) {
      if (!Object.hasOwn(dependencies, name)) continue;
      checkDependency(subject, { name, needed: dependencies[name] ?? true }, verdict, evaluation);
    }
  }
}

function checkDependency(
  subject: ObjectSubject,
  dependency: { readonly name: string; readonly needed: Json },
  verdict: Verdict,
  evaluation: Evaluator,
): void {
  const { name, needed } = dependency;
  if (!Array.isArray(needed)) {
    verdict.include(evaluation.apply(needed, subject));
    return;
  }
  if (!evaluation.affords(needed.length, verdict)) return;
  const names = stringsIn(needed).filter((other) => !Object.hasOwn(subject.value, other));
  if (names.length > 0) verdict.fail({ kind: 'needs', place: subject.place, name, names });
}

function stringsIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function mapIn(map: Json | undefined): JsonObject {
  return isJsonObject(map) ? map : {};
}
