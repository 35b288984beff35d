import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import type { ArgumentProblem } from '@quartermaster/core/dispatch';
import { defined, nameDistance } from '@quartermaster/core/internal';
import { expectedTypes } from './check-type-and-enum.ts';
import type { Bound, ExpectedType, Failure, TypeName } from './failure.ts';
import { keysTo, type Place, toPointer } from './place.ts';
import { count, cut, enumerate, renderJson, renderName, renderNames, renderValue } from './render-value.ts';

const MOST_MESSAGE = 500;
const MOST_POINTER = 300;
const MOST_LISTED = 12;
const MOST_FORMS = 4;
const MOST_PATTERN = 120;
/** Parameters that a misspelled one is compared with. */
const MOST_KNOWN = 1_000;

/** A failure as a sentence that tells a model what to send instead. */
export function describeFailure(failure: Failure): ArgumentProblem {
  const closest = failure.kind === 'unknown-property' ? closestKnown(failure) : undefined;
  return {
    path: cut(toPointer(failure.place), MOST_POINTER),
    message: cut(describe(failure), MOST_MESSAGE),
    ...defined({ closest }),
  };
}

function describe(failure: Failure): string {
  switch (failure.kind) {
    case 'expected':
      return describeExpected(failure);
    case 'missing':
      return describeMissing(failure);
    case 'missing-any':
      return `must have ${enumerate(failure.groups.slice(0, MOST_LISTED).map(renderGroup), { joiner: 'or', total: failure.groups.length })}`;
    case 'needs':
      return `needs ${renderNames(failure.names, MOST_LISTED)} too, because ${renderName(failure.name)} is given`;
    case 'unknown-property':
      return describeUnknownProperty(failure);
    case 'bound':
      return BOUNDS[failure.bound](failure.limit, failure.actual);
    case 'pattern':
      return `must match the pattern ${cut(failure.pattern, MOST_PATTERN)}, not ${renderValue(failure.value)}`;
    case 'repeated':
      return `must not repeat an item: items ${failure.first} and ${failure.second} are the same`;
    case 'contains':
      return describeContains(failure);
    case 'name':
      return `${renderName(failure.name)} can't be used as a name here: it ${failure.failures.map(describe).join('; ')}`;
    case 'forbidden':
      return 'must be left out';
    case 'not':
      return describeNot(failure.schema);
    case 'no-form':
      return describeForms(failure);
    case 'many-forms':
      return describeManyForms(failure);
  }
}

type Of<Kind extends Failure['kind']> = Extract<Failure, { readonly kind: Kind }>;

function describeExpected({ types, allowed, value }: Of<'expected'>): string {
  const values = allowed.slice(0, MOST_LISTED).map(renderJson);
  const listed = enumerate(values, { joiner: 'or', total: allowed.length });
  const phrases = enumerate(types.map(describeType), { joiner: 'or' });
  const wanted = [allowed.length > 2 ? `one of ${listed}` : listed, phrases]
    .filter((part) => part !== '')
    .join(', or ');
  const names = allowed.filter((item) => typeof item === 'string');
  const meant = typeof value === 'string' ? closestName(value, names) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${renderJson(meant)}?`;
  if (wanted === '') return `can't be any value, so not ${renderValue(value)}`;
  return `must be ${wanted}, not ${renderValue(value)}${hint}`;
}

function describeType({ name, of }: ExpectedType): string {
  return of === undefined ? TYPES[name].one : `${TYPES[name].one} of ${TYPES[of].many}`;
}

function describeMissing({ names, properties, unknownNames, place }: Of<'missing'>): string {
  const noun = nounFor(place, names.length);
  const listed = names.slice(0, MOST_LISTED).map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const types = isJsonObject(schema) ? expectedTypes(schema) : undefined;
    const hint = types === undefined ? '' : ` (${types.map(typeHint).join(' or ')})`;
    return `${renderName(name)}${hint}`;
  });
  const misspelt = names.slice(0, MOST_LISTED).flatMap((name) => {
    const sent = closestName(name, unknownNames);
    return sent === undefined ? [] : [`${renderName(name)} instead of ${renderName(sent)}`];
  });
  const hint = misspelt.length === 0 ? '' : `; did you mean ${enumerate(misspelt, { joiner: 'and' })}?`;
  return `lacks the required ${noun} ${enumerate(listed, { joiner: 'and', total: names.length })}${hint}`;
}

function describeUnknownProperty(failure: Of<'unknown-property'>): string {
  const { name, properties, place } = failure;
  const start = `${renderName(name)} is not a ${nounFor(place?.parent, 1)}`;
  const closest = closestKnown(failure);
  if (closest !== undefined) return `${start}; did you mean ${renderName(closest)}?`;
  const known = Object.keys(properties);
  if (known.length === 0) return `${start}: leave it out`;
  return `${start}; there ${known.length === 1 ? 'is' : 'are'} ${renderNames(known, MOST_LISTED)}`;
}

/** Names that were not sent are more likely to be meant; one that was sent could only be meant twice by mistake. */
function closestKnown({ name, object, properties }: Of<'unknown-property'>): string | undefined {
  const known = Object.keys(properties).slice(0, MOST_KNOWN);
  const unsent = known.filter((other) => !Object.hasOwn(object, other));
  return closestName(name, unsent);
}

function nounFor(place: Place, amount: number): string {
  const noun = place === undefined ? 'parameter' : 'field';
  return amount === 1 ? noun : `${noun}s`;
}

function typeHint({ name, of }: ExpectedType): string {
  return of === undefined ? name : `array of ${TYPES[of].many}`;
}

function describeContains({ least, most, count: actual }: Of<'contains'>): string {
  const wanted = actual > most ? `at most ${count(most, 'item')}` : `at least ${count(least, 'item')}`;
  return `must contain ${wanted} of the kind that its schema's \`contains\` describes, not ${actual}`;
}

function describeNot(schema: Json): string {
  const required = isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name) => typeof name === 'string');
  const isOnlyRequired =
    isJsonObject(schema) && Object.keys(schema).every((key) => key === 'required' || key === 'type');
  if (names.length > 0 && isOnlyRequired) {
    return `must not have ${renderNames(names, MOST_LISTED)}${names.length > 1 ? ' together' : ''}`;
  }
  return `must not be what its schema excludes: ${renderJson(schema)}`;
}

function describeForms({ forms, place }: Of<'no-form'>): string {
  const depth = keysTo(place).length;
  const told = forms.slice(0, MOST_FORMS).map((form, index) => {
    const [first, ...others] = form;
    if (first === undefined) return '';
    const inner = keysTo(first.place).slice(depth).map(String).join('.');
    const more = others.length === 0 ? '' : ` (and ${count(others.length, 'more problem')})`;
    return `(${index + 1}) ${inner === '' ? '' : `${renderName(inner)} `}${cut(describe(first), MOST_MESSAGE / MOST_FORMS)}${more}`;
  });
  return `fits none of the ${forms.length} forms that it may have: ${told.join('; ')}`;
}

function describeManyForms({ forms, fitting }: Of<'many-forms'>): string {
  const groups = forms.map((form) => (isJsonObject(form) && Array.isArray(form.required) ? form.required : []));
  if (groups.every((names) => names.length > 0)) {
    const named = groups
      .slice(0, MOST_LISTED)
      .map((names) => renderGroup(names.filter((name) => typeof name === 'string')));
    return `must have only one of ${enumerate(named, { joiner: 'or', total: groups.length })}`;
  }
  const places = fitting.slice(0, MOST_LISTED).map((index) => String(index + 1));
  return `must fit exactly one of its ${forms.length} forms, not forms ${enumerate(places, { joiner: 'and', total: fitting.length })} at once`;
}

function renderGroup(names: readonly string[]): string {
  const text = renderNames(names, MOST_LISTED);
  return names.length > 1 ? `(${text})` : text;
}

const TYPES: Readonly<Record<TypeName, { readonly one: string; readonly many: string }>> = {
  null: { one: 'null', many: 'nulls' },
  boolean: { one: 'a boolean', many: 'booleans' },
  integer: { one: 'an integer', many: 'integers' },
  number: { one: 'a number', many: 'numbers' },
  string: { one: 'a string', many: 'strings' },
  array: { one: 'an array', many: 'arrays' },
  object: { one: 'an object', many: 'objects' },
};

const BOUNDS: Readonly<Record<Bound, (limit: number, actual: number) => string>> = {
  minimum: (limit, actual) => `must be at least ${limit}, not ${actual}`,
  maximum: (limit, actual) => `must be at most ${limit}, not ${actual}`,
  exclusiveMinimum: (limit, actual) => `must be more than ${limit}, not ${actual}`,
  exclusiveMaximum: (limit, actual) => `must be less than ${limit}, not ${actual}`,
  multipleOf: (limit, actual) => `must be a multiple of ${limit}, not ${actual}`,
  minLength: (limit, actual) => `must have at least ${count(limit, 'character')}, not ${actual}`,
  maxLength: (limit, actual) => `must have at most ${count(limit, 'character')}, not ${actual}`,
  minItems: (limit, actual) => `must have at least ${count(limit, 'item')}, not ${actual}`,
  maxItems: (limit, actual) => `must have at most ${count(limit, 'item')}, not ${actual}`,
  minProperties: (limit, actual) => `must have at least ${count(limit, 'field')}, not ${actual}`,
  maxProperties: (limit, actual) => `must have at most ${count(limit, 'field')}, not ${actual}`,
};

/** Longer names and further candidates are not compared. */
const MOST_CHARACTERS = 64;
const MOST_CANDIDATES = 200;

/**
 * The candidate that was probably meant, by `nameDistance`, ignoring case and `_`, `-`, `.` and blanks.
 * Of equally near ones, the earlier.
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const asked = fold(name);
  if (asked === '') return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates.slice(0, MOST_CANDIDATES)) {
    const distance = nameDistance(asked, fold(candidate));
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function fold(name: string): string {
  return name
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .replace(/[\s_.-]+/g, '');
}
