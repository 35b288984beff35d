import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import type { Failure } from './failure.ts';
import type { Verdict } from './verdict.ts';
import type { Evaluation, Visit } from './visit.ts';

/** A visit of an object, with its keys. */
interface ObjectVisit extends Visit {
  readonly value: JsonObject;
  readonly keys: readonly string[];
}

export function checkObject(visit: Visit, verdict: Verdict, evaluation: Evaluation): void {
  const { value, schema } = visit;
  if (!isJsonObject(value)) return;
  const keys = Object.keys(value);
  const required = stringsIn(schema.required);
  if (!evaluation.spend(keys.length + required.length)) {
    verdict.doubt();
    return;
  }
  const objectVisit = { ...visit, value, keys };
  checkRequired(objectVisit, required, verdict);
  checkSize(objectVisit, verdict);
  checkProperties(objectVisit, verdict, evaluation);
  checkNames(objectVisit, verdict, evaluation);
  checkDependencies(objectVisit, verdict, evaluation);
}

function checkRequired(
  { schema, value, keys, place }: ObjectVisit,
  required: readonly string[],
  verdict: Verdict,
): void {
  const names = required.filter((name) => !Object.hasOwn(value, name));
  if (names.length === 0) return;
  const properties = mapIn(schema.properties);
  const isOpen = schema.additionalProperties !== false && schema.unevaluatedProperties !== false;
  const strangers = isOpen ? keys.filter((key) => !Object.hasOwn(properties, key)) : [];
  verdict.fail({ kind: 'missing', place, names: [...new Set(names)], properties, strangers });
}

function checkSize({ schema, keys, place }: ObjectVisit, verdict: Verdict): void {
  const { minProperties, maxProperties } = schema;
  const actual = keys.length;
  if (typeof minProperties === 'number' && actual < minProperties) {
    verdict.fail({ kind: 'bound', place, bound: 'minProperties', limit: minProperties, actual });
  }
  if (typeof maxProperties === 'number' && actual > maxProperties) {
    verdict.fail({ kind: 'bound', place, bound: 'maxProperties', limit: maxProperties, actual });
  }
}

function checkProperties(visit: ObjectVisit, verdict: Verdict, evaluation: Evaluation): void {
  const { schema, value, keys } = visit;
  const properties = mapIn(schema.properties);
  const patterns = Object.entries(mapIn(schema.patternProperties));
  const additional = schema.additionalProperties;
  if (!evaluation.spend(patterns.length)) {
    verdict.doubt();
    return;
  }
  for (const key of keys) {
    const child = { key, value: value[key] ?? null };
    let isKnown = Object.hasOwn(properties, key);
    let isKnownCertain = true;
    if (isKnown) verdict.includeChild(evaluation.applyTo(properties[key] ?? true, visit, child));
    for (const [pattern, part] of patterns) {
      const answer = evaluation.matches(pattern, key);
      if (answer === 'unknown') isKnownCertain = false;
      if (answer !== 'valid') continue;
      isKnown = true;
      verdict.includeChild(evaluation.applyTo(part, visit, child));
    }
    if (!isKnownCertain) verdict.doubt();
    else if (!isKnown && additional !== undefined) {
      checkAdditional(visit, { ...child, schema: additional }, verdict, evaluation);
    }
    if (evaluation.index.usesUnevaluated && (isKnown || additional !== undefined)) verdict.see(key);
  }
}

interface AdditionalChild {
  readonly key: string;
  readonly value: Json;
  readonly schema: Json;
}

function checkAdditional(visit: ObjectVisit, child: AdditionalChild, verdict: Verdict, evaluation: Evaluation): void {
  if (child.schema === false) verdict.fail(strangerFailure(visit, child.key));
  else verdict.includeChild(evaluation.applyTo(child.schema, visit, child));
}

/** A name that an object may not have. */
export function strangerFailure(visit: Visit & { readonly value: JsonObject }, name: string): Failure {
  const { value, schema } = visit;
  return {
    kind: 'stranger',
    place: { parent: visit.place, key: name },
    name,
    object: value,
    properties: mapIn(schema.properties),
  };
}

function checkNames(visit: ObjectVisit, verdict: Verdict, evaluation: Evaluation): void {
  const { propertyNames } = visit.schema;
  if (propertyNames === undefined) return;
  for (const name of visit.keys) {
    const { truth, failures } = evaluation.applyTo(propertyNames, visit, { key: name, value: name });
    if (truth === 'unknown') verdict.doubt();
    if (truth === 'invalid') verdict.fail({ kind: 'name', place: { parent: visit.place, key: name }, name, failures });
  }
}

function checkDependencies(visit: ObjectVisit, verdict: Verdict, evaluation: Evaluation): void {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependencies = visit.schema[keyword];
    if (!isJsonObject(dependencies)) continue;
    for (const name of visit.keys) {
      if (!Object.hasOwn(dependencies, name)) continue;
      checkDependency(visit, { name, needed: dependencies[name] ?? true }, verdict, evaluation);
    }
  }
}

function checkDependency(
  visit: ObjectVisit,
  dependency: { readonly name: string; readonly needed: Json },
  verdict: Verdict,
  evaluation: Evaluation,
): void {
  const { name, needed } = dependency;
  if (!Array.isArray(needed)) {
    verdict.include(evaluation.apply(needed, visit));
    return;
  }
  if (!evaluation.spend(needed.length)) {
    verdict.doubt();
    return;
  }
  const names = stringsIn(needed).filter((other) => !Object.hasOwn(visit.value, other));
  if (names.length > 0) verdict.fail({ kind: 'needs', place: visit.place, name, names });
}

function stringsIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function mapIn(map: Json | undefined): JsonObject {
  return isJsonObject(map) ? map : {};
}
