import type { Call } from '@quartermaster/core';
import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import { orderedReads, type Place, type Reader } from '@quartermaster/core/loop';
import type { Metadata, ModelPart } from './language-model-v4-shapes-2026-11.ts';

/** A held call with its provider metadata: a signature must go back with its call. */
export interface ModelCall extends Call {
  readonly metadata?: Metadata;
}

type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;

/** Parts that begin something else. */
const BEGINNINGS: ReadonlySet<string> = new Set(['text-start', 'reasoning-start', 'tool-input-start', 'tool-call']);

/**
 * Reads the parts of one round. A call is complete with its `tool-call`; the deltas of a held call before that are dropped. A call
 * that can't be parsed waits for the end of the stream, whose reason distinguishes a cut call from a malformed one.
 */
export function createReader(holds: (name: string) => boolean): Reader<ModelPart> {
  const reads = orderedReads<ModelPart>();
  /** Held calls whose deltas are arriving, by id. */
  const open = new Map<string, { readonly name: string; readonly place: Place<ModelPart> }>();
  const unread: { readonly part: ToolCall; readonly place: Place<ModelPart>; isLast: boolean }[] = [];
  let isCut = true;

  const isHeld = (part: { readonly toolName: string; readonly providerExecuted?: boolean | undefined }): boolean =>
    part.providerExecuted !== true && holds(part.toolName);

  const readCall = (part: ToolCall): void => {
    const place = open.get(part.toolCallId)?.place ?? reads.reserve();
    open.delete(part.toolCallId);
    const arguments_ = parseArguments(part.input);
    if (arguments_ === undefined) unread.push({ part, place, isLast: true });
    else place.fill({ kind: 'held', call: toCall(part, arguments_) });
  };

  return {
    read(part) {
      if (part.type === 'finish') {
        isCut = part.finishReason.unified === 'length' || part.finishReason.unified === 'interrupted';
        return [{ kind: 'close', part }];
      }
      // Only the last call can be cut: the model continued after the others.
      if (BEGINNINGS.has(part.type)) for (const call of unread) call.isLast = false;
      if (part.type === 'tool-input-start' && isHeld(part)) {
        open.set(part.id, { name: part.toolName, place: reads.reserve() });
        return reads.take();
      }
      if (part.type === 'tool-call' && isHeld(part)) {
        readCall(part);
        return reads.take();
      }
      const isPiece = part.type === 'tool-input-delta' || part.type === 'tool-input-end';
      if (isPiece && open.has(part.id)) return [];
      reads.add({ kind: 'forward', part });
      const isPassed = part.type === 'tool-call' && part.providerExecuted !== true;
      return [...(isPassed ? [{ kind: 'passed', name: part.toolName } as const] : []), ...reads.take()];
    },
    end() {
      for (const { part, place, isLast } of unread) {
        if (isCut && isLast) place.fill({ kind: 'cut', name: part.toolName });
        else place.fill({ kind: 'held', call: toCall(part, part.input) });
      }
      for (const { name, place } of open.values()) place.fill({ kind: 'cut', name });
      return reads.take();
    },
  };
}

function toCall(part: ToolCall, arguments_: unknown): ModelCall {
  const { toolCallId: id, toolName: name, providerMetadata } = part;
  return { id, name, arguments: arguments_, ...defined({ metadata: providerMetadata }) };
}
