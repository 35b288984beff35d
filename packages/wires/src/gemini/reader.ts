import type { Call } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Read, Reader } from '@quartermaster/core/loop';
import {
  type GeminiCandidate,
  type GeminiFunctionCall,
  type GeminiPart,
  type GeminiResponse,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { createPartialArguments } from './partial-arguments.ts';
import { MADE_ID_PREFIX } from './search-parts.ts';
import { UpstreamChunkError } from './upstream-chunk-error.ts';

/** A held call with the part that it came in: the signature beside it must go back with it. */
export interface GeminiCall extends Call {
  readonly part: GeminiPart;
}

/** A call whose arguments are still arriving. */
interface OpenCall {
  readonly isHeld: boolean;
  readonly name: string;
  readonly part: GeminiPart;
  readonly arguments: ReturnType<typeof createPartialArguments>;
}

/**
 * Reads the chunks of one round. A function call arrives whole in one part, or in pieces where the request asked for that. A
 * chunk that closes the round keeps its own parts while nothing is held, because then no round follows it. Throws the error that
 * a host ends its stream with.
 */
export function createReader(holds: (name: string) => boolean): Reader<GeminiResponse> {
  let open: OpenCall | undefined;
  let heldCount = 0;
  let finishReason: string | undefined;

  const hold = (call: { name: string; part: GeminiPart; arguments: JsonObject }): Read<GeminiResponse> => {
    heldCount += 1;
    const id = call.part.functionCall?.id;
    // Told apart by count: two parallel calls without ids must not be taken for one.
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
      /** A chunk may bring held calls among other parts: what stands between two of them is a chunk of its own. */
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
      // Nothing but a regular end says that the arguments are complete.
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
