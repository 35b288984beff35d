import type { Call } from '@quartermaster/core';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import type { Read, Reader } from '@quartermaster/core/loop';
import {
  type GeminiCandidate,
  type GeminiFunctionCall,
  type GeminiPart,
  type GeminiResponse,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { MADE_ID_PREFIX } from './search-parts.ts';

/** A held call with the part that contained it: its signature must go back with it. */
export interface GeminiCall extends Call {
  readonly part: GeminiPart;
}

/** A call whose arguments are arriving. */
interface OpenCall {
  readonly isHeld: boolean;
  readonly name: string;
  readonly part: GeminiPart;
  readonly arguments: ReturnType<typeof createPartialArguments>;
}

/**
 * Reads the chunks of one round. A function call arrives whole in one part, or in pieces if the request asked for that. A
 * chunk that ends the round keeps its own parts while nothing is held, because then no round follows it. Throws the error that
 * a host ends its stream with.
 */
export function createReader(holds: (name: string) => boolean): Reader<GeminiResponse> {
  let open: OpenCall | undefined;
  let heldCount = 0;
  let finishReason: string | undefined;

  const hold = (call: { name: string; part: GeminiPart; arguments: JsonObject }): Read<GeminiResponse> => {
    heldCount += 1;
    const id = call.part.functionCall?.id;
    // Numbered: two parallel calls without ids must not be taken for one.
    const held: GeminiCall = { ...call, id: id === undefined || id === '' ? `${MADE_ID_PREFIX}${heldCount}` : id };
    return { kind: 'held', call: held };
  };

  const readCall = (
    part: GeminiPart,
    call: GeminiFunctionCall,
  ): { keep: boolean; reads: readonly Read<GeminiResponse>[] } => {
    if (call.name === undefined && open !== undefined) {
      const { isHeld, name } = open;
      open.arguments.add(call.partialArgs ?? []);
      if (call.willContinue === true) return { keep: !isHeld, reads: [] };
      const done = open;
      open = undefined;
      return isHeld
        ? { keep: false, reads: [hold({ name, part: done.part, arguments: done.arguments.value() })] }
        : { keep: true, reads: [] };
    }
    const name = call.name ?? '';
    const isHeld = holds(name);
    const pieces = createPartialArguments(isJsonObject(call.args) ? call.args : {});
    pieces.add(call.partialArgs ?? []);
    open = call.willContinue === true ? { isHeld, name, part, arguments: pieces } : undefined;
    if (!isHeld) return { keep: true, reads: [{ kind: 'passed', name }] };
    return { keep: false, reads: open === undefined ? [hold({ name, part, arguments: pieces.value() })] : [] };
  };

  return {
    read(chunk) {
      if (isJsonObject(chunk) && isJsonObject(chunk.error)) throw new UpstreamChunkError(chunk, chunk.error);
      const candidate = chunk.candidates?.[0];
      if (candidate === undefined) return [{ kind: 'close', part: chunk }];
      finishReason = candidate.finishReason ?? finishReason;
      const parts = partsOf(candidate.content);
      const isLast = candidate.finishReason !== undefined;
      if (parts.length === 0 && !isLast) return [{ kind: 'forward', part: withParts(chunk, [], OPEN) }];
      const passed: Read<GeminiResponse>[] = [];
      const written: Read<GeminiResponse>[] = [];
      let kept: GeminiPart[] = [];
      /** A chunk may contain held calls among other parts: the parts between two of them become a separate chunk. */
      const flush = (): void => {
        if (kept.length > 0) written.push({ kind: 'forward', part: withParts(chunk, kept, OPEN) });
        kept = [];
      };
      for (const part of parts) {
        const { functionCall } = part;
        const read = isJsonObject(functionCall) ? readCall(part, functionCall) : { keep: true, reads: [] };
        if (read.keep) kept.push(part);
        else flush();
        for (const one of read.reads) (one.kind === 'passed' ? passed : written).push(one);
      }
      const isHolding = heldCount > 0 || open?.isHeld === true;
      if (isLast && !isHolding) return [...passed, { kind: 'close', part: chunk }];
      flush();
      const isForwarded = written.some(({ kind }) => kind === 'forward');
      const closed: readonly Read<GeminiResponse>[] =
        isLast || !isForwarded ? [{ kind: 'close', part: withParts(chunk, []) }] : [];
      return [...passed, ...written, ...closed];
    },
    end() {
      if (open === undefined || !open.isHeld) return [];
      const { name, part } = open;
      // Only a regular end says that the arguments are complete.
      if (finishReason !== 'STOP') return [{ kind: 'cut', name }];
      return [hold({ name, part, arguments: open.arguments.value() })];
    },
  };
}

/** A candidate that has not finished. */
const OPEN: readonly (keyof GeminiCandidate)[] = ['finishReason', 'finishMessage'];

/** A chunk with these parts in its first candidate. */
export function withParts(
  chunk: GeminiResponse,
  parts: readonly GeminiPart[],
  without: readonly (keyof GeminiCandidate)[] = [],
): GeminiResponse {
  const [first, ...others] = chunk.candidates ?? [];
  const candidate = Object.fromEntries(Object.entries(first ?? {}).filter(([key]) => !without.includes(key)));
  return {
    ...chunk,
    candidates: [{ ...candidate, content: { role: 'model', ...first?.content, parts } }, ...others],
  };
}

/**
 * An error within an upstream's stream. Carries the chunk with the error, so that a surface can forward it
 * unchanged.
 */
export class UpstreamChunkError extends UpstreamError {
  override readonly name = 'UpstreamChunkError';
  readonly chunk: JsonObject;

  constructor(chunk: JsonObject, error: JsonObject) {
    const { status, message } = error;
    super({
      code: 'refused',
      message: `The upstream ended its stream with ${String(status)}: ${String(message)}`,
      context: { status },
    });
    this.chunk = chunk;
  }
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;
const MOST_STEPS = 64;
const HIGHEST_INDEX = 10_000;

/** A value under construction. Without a prototype, so that `__proto__` is a name like any other. */
type Draft = Json | DraftObject | Draft[];
interface DraftObject {
  [key: string]: Draft;
}

/**
 * Joins arguments that arrive in pieces: each names its place by a JSON path (`$.filter.names[0]`) and has a value,
 * or the next piece of a text. Pieces without a readable path are ignored.
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

/** The value at a place if it can contain what comes next; otherwise a new one that can. */
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
