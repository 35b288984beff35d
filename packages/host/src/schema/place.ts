/** The place of a value inside the arguments, as a chain from the inside out; undefined is the whole. */
export type Place = PlaceStep | undefined;

interface PlaceStep {
  readonly parent: Place;
  readonly key: string | number;
}

/** The keys from the whole down to the place. */
export function keysTo(place: Place): readonly (string | number)[] {
  const keys: (string | number)[] = [];
  for (let step = place; step !== undefined; step = step.parent) keys.push(step.key);
  return keys.reverse();
}

/** The place as a JSON Pointer (RFC 6901). */
export function toPointer(place: Place): string {
  return keysTo(place)
    .map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
