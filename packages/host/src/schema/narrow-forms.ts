import type { Json } from '@quartermaster/core/catalog';
import type { ExpectedType, Failure } from './failure.ts';
import type { Place } from './place.ts';

type Failures = readonly Failure[];
type Expected = Extract<Failure, { kind: 'expected' }>;

/**
 * What to report about a value that fits none of several forms. If it is clear which form was meant, only that is reported:
 * by the value's type, or by a field that has to be a certain constant. Otherwise the forms' failures are merged.
 */
export function narrowForms(at: { readonly place: Place; readonly value: Json }, forms: readonly Failures[]): Failures {
  const { place } = at;
  const sameType = forms.filter((form) => !form.some((failure) => isAbout(failure, place)));
  if (sameType.length === 0) return mergeExpected(at, forms);
  const meant = sameType.filter((form) => !form.some((failure) => isTag(failure, place)));
  const only = meant.length === 1 ? meant[0] : sameType.length === 1 ? sameType[0] : undefined;
  if (only !== undefined) return only;
  if (meant.length === 0) return mergeTags(place, sameType);
  const groups = meant.map((form) => missingNames(form, place));
  if (groups.every((names) => names !== undefined)) return [{ kind: 'missing-any', place, groups }];
  return [{ kind: 'no-form', place, forms: meant }];
}

/** Whether the whole value is of another kind than the form requires. */
function isAbout(failure: Failure, place: Place): boolean {
  return failure.place === place && (failure.kind === 'expected' || failure.kind === 'forbidden');
}

/** Whether a field of the value has to be a certain constant and is not: the tag of a tagged union. */
function isTag(failure: Failure, place: Place): failure is Expected {
  return (
    failure.kind === 'expected' &&
    failure.allowed.length === 1 &&
    failure.place !== undefined &&
    failure.place.parent === place
  );
}

function mergeExpected(at: { readonly place: Place; readonly value: Json }, forms: readonly Failures[]): Failures {
  const types = new Map<string, ExpectedType>();
  const allowed = new Set<Json>();
  for (const failure of forms.flat()) {
    if (failure.kind !== 'expected' || failure.place !== at.place) continue;
    for (const type of failure.types) types.set(`${type.name} ${type.of ?? ''}`, type);
    for (const value of failure.allowed) allowed.add(value);
  }
  if (types.size + allowed.size === 0) return [{ kind: 'forbidden', place: at.place }];
  return [{ kind: 'expected', ...at, types: [...types.values()], allowed: [...allowed] }];
}

/** The constants that one field may have over all forms; with several such fields, the forms one by one. */
function mergeTags(place: Place, forms: readonly Failures[]): Failures {
  const tags = forms.map((form) => form.find((failure): failure is Expected => isTag(failure, place)));
  const [first] = tags;
  if (first === undefined || tags.some((tag) => tag?.place?.key !== first.place?.key)) {
    return [{ kind: 'no-form', place, forms }];
  }
  return [{ ...first, allowed: [...new Set(tags.flatMap((tag) => tag?.allowed ?? []))] }];
}

/** The names that are all that a form lacks. */
function missingNames(form: Failures, place: Place): readonly string[] | undefined {
  const [failure, ...others] = form;
  const isOnly = failure?.kind === 'missing' && failure.place === place && others.length === 0;
  return isOnly ? failure.names : undefined;
}
