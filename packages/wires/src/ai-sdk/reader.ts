import type { Call } from '@quartermaster/core';
import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { Read, Reader } from '@quartermaster/core/loop';
import type { Metadata, ModelPart } from './language-model-v4-shapes-2026-11.ts';

/** A held call with what the provider put beside it: a signature must go back with its call. */
export interface ModelCall extends Call {
  readonly metadata?: Metadata;
}

type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;

/**
 * Reads the parts of one round. A call is complete with its `tool-call`; the pieces of a held one before that are dropped. One
 * that can't be parsed waits for the end of the stream, where the reason tells a cut call from a badly written one.
 */
export function createReader(holds: (name: string) => boolean): Reader<ModelPart> {
  /** Held calls whose pieces are arriving, by id. */
  const open = new Map<string, string>();
  const unread: ToolCall[] = [];
  let isCut = true;

  const read = (part: ModelPart): readonly Read<ModelPart>[] => {
    switch (part.type) {
      case 'tool-input-start':
        if (part.providerExecuted === true || !holds(part.toolName)) return [{ kind: 'forward', part }];
        open.set(part.id, part.toolName);
        return [];
      case 'tool-input-delta':
      case 'tool-input-end':
        return open.has(part.id) ? [] : [{ kind: 'forward', part }];
      case 'tool-call':
        return readCall(part);
      case 'finish':
        isCut = part.finishReason.unified === 'length' || part.finishReason.unified === 'interrupted';
        return [{ kind: 'close', part }];
      default:
        return [{ kind: 'forward', part }];
    }
  };

  const readCall = (part: ToolCall): readonly Read<ModelPart>[] => {
    if (part.providerExecuted === true) return [{ kind: 'forward', part }];
    if (!holds(part.toolName)) {
      return [
        { kind: 'passed', name: part.toolName },
        { kind: 'forward', part },
      ];
    }
    open.delete(part.toolCallId);
    const arguments_ = parseArguments(part.input);
    if (arguments_ !== undefined) return [{ kind: 'held', call: toCall(part, arguments_) }];
    unread.push(part);
    return [];
  };

  return {
    read,
    end: () => [
      ...unread.map(
        (part): Read<ModelPart> =>
          isCut ? { kind: 'cut', name: part.toolName } : { kind: 'held', call: toCall(part, part.input) },
      ),
      ...[...open.values()].map((name): Read<ModelPart> => ({ kind: 'cut', name })),
    ],
  };
}

function toCall(part: ToolCall, arguments_: unknown): ModelCall {
  const { toolCallId: id, toolName: name, providerMetadata } = part;
  return { id, name, arguments: arguments_, ...defined({ metadata: providerMetadata }) };
}
