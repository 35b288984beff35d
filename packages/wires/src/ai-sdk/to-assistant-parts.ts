import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { AssistantPart, Metadata, ModelContent } from './language-model-v4-shapes-2026-11.ts';

/** A response's content as `ai` makes messages of it. What messages can't contain, such as sources, is left out. */
export function toAssistantParts(content: readonly ModelContent[]): AssistantPart[] {
  return content.flatMap((part) => {
    const { providerMetadata: providerOptions } = part as { readonly providerMetadata?: Metadata };
    const written = toAssistantPart(part);
    if (written === undefined || (part.type === 'text' && part.text === '' && providerOptions === undefined)) return [];
    return [{ ...written, ...defined({ providerOptions }) }];
  });
}

function toAssistantPart(part: ModelContent): AssistantPart | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text };
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = part;
      const input = parseArguments(part.input) ?? part.input;
      return { type: 'tool-call', toolCallId, toolName, input, ...defined({ providerExecuted }) };
    }
    case 'tool-result': {
      const { toolCallId, toolName, result: value } = part;
      const type = part.isError === true ? 'error-json' : 'json';
      const output = typeof value === 'string' && type === 'json' ? { type: 'text' as const, value } : { type, value };
      return { type: 'tool-result', toolCallId, toolName, output: output as { type: 'json'; value: typeof value } };
    }
    case 'file':
      return { type: 'file', data: part.data, mediaType: part.mediaType };
    case 'reasoning-file':
      return { type: 'reasoning-file', data: part.data, mediaType: part.mediaType };
    case 'custom':
      return { type: 'custom', kind: part.kind };
    default:
      return undefined;
  }
}
