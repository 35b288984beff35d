import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { defined } from '@quartermaster/core/internal';
import type { Whole } from '@quartermaster/core/loop';
import type { ModelContent, ModelPart, ModelResult } from './language-model-v4-shapes-2026-11.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>;

/** The end of a whole response, with what a stream can't express. */
interface WholeFinish extends Finish {
  readonly whole?: Pick<ModelResult, 'request' | 'response' | 'structuredOutputText'>;
}

/** Converts a whole result to the parts of an equivalent stream, and back. */
export const modelWhole: Whole<ModelResult, ModelPart> = { toParts, fromParts };

function toParts(result: ModelResult): readonly ModelPart[] {
  const { content, finishReason, usage, providerMetadata, warnings, ...whole } = result;
  const { id, timestamp, modelId } = result.response ?? {};
  const metadata = {
    ...defined({ id, timestamp, modelId }),
  };
  const finish: WholeFinish = {
    type: 'finish',
    usage,
    finishReason,
    ...defined({ providerMetadata }),
    whole,
  };
  return [
    { type: 'stream-start', warnings },
    ...(Object.keys(metadata).length === 0 ? [] : [{ type: 'response-metadata' as const, ...metadata }]),
    ...content.flatMap((part, index) => contentParts(part, String(index))),
    finish,
  ];
}

function contentParts(part: ModelContent, id: string): readonly ModelPart[] {
  if (part.type === 'text') {
    const { type: _, text, ...rest } = part;
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: text },
      { type: 'text-end', id, ...rest },
    ];
  }
  if (part.type === 'reasoning') {
    const { type: _, text, ...rest } = part;
    return [
      { type: 'reasoning-start', id },
      { type: 'reasoning-delta', id, delta: text },
      { type: 'reasoning-end', id, ...rest },
    ];
  }
  return [part];
}

function fromParts(parts: readonly ModelPart[]): ModelResult {
  const assembled = assembleContent();
  for (const part of parts) assembled.add(part);
  const start = parts.find((part) => part.type === 'stream-start');
  const metadata = parts.find((part) => part.type === 'response-metadata');
  const finish = parts.findLast((part): part is WholeFinish => part.type === 'finish');
  const { type: _, ...named } = metadata ?? { type: undefined };
  const response = { ...finish?.whole?.response, ...named };
  return {
    ...finish?.whole,
    content: assembled.content,
    finishReason: finish?.finishReason ?? { unified: 'interrupted', raw: undefined },
    usage: finish?.usage ?? UNKNOWN_USAGE,
    ...defined({ providerMetadata: finish?.providerMetadata }),
    ...(Object.keys(response).length === 0 ? {} : { response }),
    warnings: start?.warnings ?? [],
  };
}

/** Joins the parts of a stream as they arrive. */
interface ContentAssembler {
  add(part: ModelPart): void;
  /** Everything so far; texts grow. */
  readonly content: ModelContent[];
}

export function assembleContent(): ContentAssembler {
  const content: ModelContent[] = [];
  const running = new Map<string, Extract<ModelContent, { type: 'text' | 'reasoning' }>>();
  return {
    content,
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end': {
          const kind = part.type.startsWith('text') ? 'text' : 'reasoning';
          const known = running.get(`${kind} ${part.id}`) ?? { type: kind, text: '' };
          if (!running.has(`${kind} ${part.id}`)) content.push(known);
          running.set(`${kind} ${part.id}`, known);
          const { type: _, id: __, ...rest } = part;
          const { delta = '', ...fields } = 'delta' in rest ? rest : { ...rest, delta: '' };
          known.text += delta;
          Object.assign(known, fields);
          break;
        }
        case 'tool-call':
        case 'tool-result':
        case 'tool-approval-request':
        case 'custom':
        case 'file':
        case 'reasoning-file':
        case 'source':
          content.push(part);
          break;
        default:
          break;
      }
    },
  };
}

const UNKNOWN_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
