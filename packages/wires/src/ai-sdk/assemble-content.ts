import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { AssistantPart, Metadata, ModelPart } from './language-model-v4-shapes-2026-11.ts';

export interface AssembledContent {
  add(part: ModelPart): void;
  /** The content so far, in the format of an assistant's message. */
  content(): AssistantPart[];
}

type Running = { type: 'text' | 'reasoning'; text: string; providerOptions?: Metadata };

/** Joins the parts of a stream the way `ai` makes messages of a response. What messages can't contain, such as sources, is left out. */
export function assembleContent(): AssembledContent {
  const parts: (AssistantPart | Running)[] = [];
  const running = new Map<string, Running>();

  const run = (type: Running['type'], part: { id: string; delta?: string; providerMetadata?: Metadata }): void => {
    const key = `${type} ${part.id}`;
    const known = running.get(key) ?? { type, text: '' };
    if (!running.has(key)) {
      running.set(key, known);
      parts.push(known);
    }
    known.text += part.delta ?? '';
    if (part.providerMetadata !== undefined) known.providerOptions = part.providerMetadata;
  };

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
          return run('text', part);
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
          return run('reasoning', part);
        default: {
          const whole = toAssistantPart(part);
          if (whole !== undefined) parts.push(whole);
        }
      }
    },
    content: () =>
      parts
        .filter((part) => part.type !== 'text' || part.text !== '' || part.providerOptions !== undefined)
        .map((part) => ({ ...part }) as AssistantPart),
  };
}

function toAssistantPart(part: ModelPart): AssistantPart | undefined {
  switch (part.type) {
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = part;
      return {
        type: 'tool-call',
        toolCallId,
        toolName,
        input: parseArguments(part.input) ?? part.input,
        ...defined({ providerExecuted }),
        ...options(part),
      };
    }
    case 'tool-result': {
      const { toolCallId, toolName, result: value } = part;
      const type = part.isError === true ? 'error-json' : 'json';
      const output = typeof value === 'string' && type === 'json' ? { type: 'text' as const, value } : { type, value };
      return {
        type: 'tool-result',
        toolCallId,
        toolName,
        output: output as { type: 'json'; value: typeof value },
        ...options(part),
      };
    }
    case 'file':
      return { type: 'file', data: part.data, mediaType: part.mediaType, ...options(part) };
    case 'reasoning-file':
      return { type: 'reasoning-file', data: part.data, mediaType: part.mediaType, ...options(part) };
    case 'custom':
      return { type: 'custom', kind: part.kind, ...options(part) };
    default:
      return undefined;
  }
}

function options(part: { readonly providerMetadata?: Metadata }): { providerOptions?: Metadata } {
  return part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
}
