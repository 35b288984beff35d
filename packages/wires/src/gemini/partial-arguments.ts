import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;
const MOST_STEPS = 64;
const HIGHEST_INDEX = 10_000;

/** A value under construction. Null-prototype, so that `__proto__` is a name like any other. */
type Draft = Json | DraftObject | Draft[];
interface DraftObject {
  [key: string]: Draft;
}

/**
 * Puts together arguments that arrive in pieces: each names its place by a JSON path (`$.filter.names[0]`) and carries a value,
 * or a further stretch of a text that has begun. Pieces without a readable path are passed over.
 */
export function createPartialArguments(start: JsonObject = {}): {
  add(pieces: readonly JsonObject[]): void;
  value(): JsonObject;
} {
  const root: DraftObject = Object.assign(Object.create(null) as DraftObject, structuredClone(start));
  return {
    add(pieces) {
      for (const piece of pieces) {
        const path = readPath(piece.jsonPath);
        if (path !== undefined) write(root, path, piece);
      }
    },
    value: () => JSON.parse(JSON.stringify(root)) as JsonObject,
  };
}

function readPath(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || steps.length >= MOST_STEPS) return undefined;
    const [, name, index, single, double] = match;
    const quoted = single ?? double;
    if (index !== undefined) {
      if (Number(index) > HIGHEST_INDEX) return undefined;
      steps.push(Number(index));
    } else steps.push(name ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
  }
  return steps.length === 0 ? undefined : steps;
}

function write(root: DraftObject, path: readonly (string | number)[], piece: JsonObject): void {
  let place: Draft = root;
  for (const [depth, step] of path.entries()) {
    const next = path[depth + 1];
    const known = read(place, step);
    const value = next === undefined ? valueIn(piece, known) : (container(known, next) ?? known);
    if (value === undefined || !set(place, step, value)) return;
    place = value;
  }
}

/** What is at a place, where it can hold what comes next; otherwise something new that can. */
function container(known: Draft | undefined, next: string | number): Draft | undefined {
  if (typeof next === 'number') return Array.isArray(known) ? known : [];
  return isJsonObject(known) ? known : (Object.create(null) as DraftObject);
}

function read(place: Draft, step: string | number): Draft | undefined {
  if (Array.isArray(place)) return typeof step === 'number' ? place[step] : undefined;
  return isJsonObject(place) && Object.hasOwn(place, step) ? (place as DraftObject)[step] : undefined;
}

function set(place: Draft, step: string | number, value: Draft): boolean {
  if (Array.isArray(place) && typeof step === 'number') place[step] = value;
  else if (isJsonObject(place) && typeof step === 'string') (place as DraftObject)[step] = value;
  else return false;
  return true;
}

function valueIn(piece: JsonObject, known: Draft | undefined): Draft | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === 'string') return `${typeof known === 'string' ? known : ''}${stringValue}`;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return Object.hasOwn(piece, 'nullValue') ? null : undefined;
}
