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
  const metadata = defined({ id, timestamp, modelId });
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
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const { type, text, ...rest } = part;
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, ...rest },
  ];
}

function fromParts(parts: readonly ModelPart[]): ModelResult {
  const assembled = new ContentAssembler();
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
export class ContentAssembler {
  /** Everything so far; texts grow. */
  readonly content: ModelContent[] = [];
  readonly #running = new Map<string, Extract<ModelContent, { type: 'text' | 'reasoning' }>>();

  add(part: ModelPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        const kind = part.type.startsWith('text') ? 'text' : 'reasoning';
        const key = `${kind} ${part.id}`;
        const known = this.#running.get(key) ?? { type: kind, text: '' };
        if (!this.#running.has(key)) this.content.push(known);
        this.#running.set(key, known);
        const { type: _, id: __, ...rest } = part;
        const { delta = '', ...fields } = 'delta' in rest ? rest : { ...rest, delta: '' };
        known.text += delta;
        // A provider may state for each piece that it has no metadata.
        Object.assign(known, defined(fields));
        break;
      }
      case 'tool-call':
      case 'tool-result':
      case 'tool-approval-request':
      case 'custom':
      case 'file':
      case 'reasoning-file':
      case 'source':
        this.content.push(part);
        break;
      default:
        break;
    }
  }
}

const UNKNOWN_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
