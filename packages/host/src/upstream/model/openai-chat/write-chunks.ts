import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { ChatChunk, ChatRequest } from '@quartermaster/wires/openai-chat';
import type { BlockWriter, WriterContext } from '../model-codec.ts';
import { type DeclaredTool, freeformInput, readOpenaiTools } from '../openai-tools.ts';
import type { Metadata, OpenedBlock } from '../serialise-parts.ts';
import { urlCitation } from '../url-citation.ts';
import { imageIn, writeBlocks } from '../write-blocks.ts';

type Delta = NonNullable<ChatChunk['choices']>[number]['delta'];
type CallBlock = OpenedBlock & { readonly kind: 'call' };

/**
 * A model's blocks as the chunks of a Chat stream. Reasoning is sent as `reasoning_content`, as many hosts of this protocol do,
 * sources as `annotations`, and images as `images`, as gateways to image models do. For another file a text names its type.
 */
export function writeChunks(request: ChatRequest, context: WriterContext): BlockWriter<ChatChunk> {
  const declared = readOpenaiTools(request.tools, context.target);
  const { id, model } = context;
  const frame = {
    id: id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: Math.floor(context.createdMs / 1000),
    model,
  };
  let callCount = 0;
  let textLength = 0;
  let current: OpenedBlock | undefined;
  let held = '';

  const chunk = (delta: Delta, finish: string | null = null): ChatChunk => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });

  return writeBlocks<ChatChunk>({
    start: () => [chunk({ role: 'assistant', content: '' })],
    open(block) {
      current = block;
      held = '';
      if (block.kind !== 'call') return [];
      callCount += 1;
      if (isCustom(block, declared)) return [];
      const called = { name: block.name, arguments: '' };
      const call = {
        index: callCount - 1,
        id: block.id,
        type: 'function',
        function: called,
        ...signed(block.metadata),
      };
      return [chunk({ tool_calls: [call] })];
    },
    delta(text) {
      if (current?.kind === 'text') {
        textLength += text.length;
        return [chunk({ content: text })];
      }
      if (current?.kind === 'reasoning') return [chunk({ reasoning_content: text })];
      if (current === undefined) return [];
      if (isCustom(current, declared)) {
        held += text;
        return [];
      }
      return [chunk({ tool_calls: [{ index: callCount - 1, function: { arguments: text } }] })];
    },
    close() {
      const block = current;
      current = undefined;
      if (block?.kind !== 'call' || !isCustom(block, declared)) return [];
      const custom = { name: block.name, input: freeformInput(held) };
      return [chunk({ tool_calls: [{ index: callCount - 1, id: block.id, type: 'custom', custom }] })];
    },
    source(source) {
      const { type, ...citation } = urlCitation(source, textLength);
      return [chunk({ annotations: [{ type, url_citation: citation }] })];
    },
    file(file) {
      const image = imageIn(file);
      if ('text' in image) return [chunk({ content: image.text })];
      const url = `data:${file.mediaType};base64,${image.base64}`;
      return [chunk({ images: [{ type: 'image_url', image_url: { url } }] })];
    },
    finish: ({ usage, reason }) => [
      chunk({}, REASONS[reason.unified] ?? (callCount > 0 ? 'tool_calls' : 'stop')),
      { ...frame, choices: [], usage: writeUsage(usage) },
    ],
  });
}

/** As Google's own endpoint of this protocol sends it. */
function signed(metadata: Metadata): { readonly extra_content?: object } {
  const signature = Object.values(metadata).find((fields) => typeof fields.thoughtSignature === 'string');
  return signature === undefined
    ? {}
    : { extra_content: { google: { thought_signature: signature.thoughtSignature } } };
}

function isCustom(block: CallBlock, declared: readonly DeclaredTool[]): boolean {
  return declared.some(({ modelName, kind }) => modelName === block.name && kind === 'custom');
}

function writeUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): JsonObject {
  const prompt = inputTokens.total ?? 0;
  const completion = outputTokens.total ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: inputTokens.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: outputTokens.reasoning ?? 0 },
  };
}

/** Calls override this: many hosts say "stop" after a call. */
const REASONS: Readonly<Record<string, string>> = {
  length: 'length',
  'content-filter': 'content_filter',
};
