import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicBlock, AnthropicEvent, AnthropicRequest, AnthropicUsage } from '@quartermaster/wires/anthropic';
import { writeSeal } from '../../internal/seal.ts';
import type { BlockWriter, WriterContext } from '../model-codec.ts';
import type { BlockEvent, Metadata, OpenedBlock, SourcePart } from '../serialise-parts.ts';
import { addressOf } from '../url-citation.ts';
import { imageIn, sealOfCall, writeBlocks } from '../write-blocks.ts';

/**
 * A model's blocks as the events of a Messages stream. Sources become citations of their text. An image becomes an image block; for
 * another file a text names its type.
 */
export function writeEvents(_request: AnthropicRequest, context: WriterContext): BlockWriter<AnthropicEvent> {
  let index = 0;
  let hasCalls = false;
  let current: OpenedBlock | undefined;

  const whole = (block: AnthropicBlock): readonly AnthropicEvent[] => {
    const at = index;
    index += 1;
    return [
      { type: 'content_block_start', index: at, content_block: block },
      { type: 'content_block_stop', index: at },
    ];
  };

  return writeBlocks<AnthropicEvent>({
    start: () => [{ type: 'message_start', message: emptyMessage(context) }],
    open(block) {
      current = block;
      const seal = sealOfCall(block, context.target);
      if (block.kind === 'call') hasCalls ||= !block.isExecuted;
      return [
        ...(seal === undefined ? [] : whole({ type: 'redacted_thinking', data: seal })),
        { type: 'content_block_start', index, content_block: startOf(block, context) },
      ];
    },
    delta: (text) => (current === undefined ? [] : [delta(index, deltaOf(current, text))]),
    close(metadata) {
      if (current === undefined) return [];
      const signature = current.kind === 'reasoning' ? signatureOf(current, metadata, context) : undefined;
      const at = index;
      index += 1;
      current = undefined;
      return [
        ...(signature === undefined ? [] : [delta(at, { type: 'signature_delta', signature })]),
        { type: 'content_block_stop', index: at },
      ];
    },
    source: (source) => [delta(index, { type: 'citations_delta', citation: citationOf(source, context) })],
    file(file) {
      const image = imageIn(file);
      if ('text' in image) return whole({ type: 'text', text: image.text });
      const source = { type: 'base64', media_type: file.mediaType, data: image.base64 };
      return whole({ type: 'image', source });
    },
    result: (result) => whole(resultBlock(result)),
    finish: ({ reason, usage }) => [
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(reason, hasCalls), stop_sequence: null },
        usage: writeUsage(usage),
      },
      { type: 'message_stop' },
    ],
  });
}

function emptyMessage({ id, model }: WriterContext): Extract<AnthropicEvent, { type: 'message_start' }>['message'] {
  return {
    id: id.startsWith('msg_') ? id : `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: EMPTY_USAGE,
  };
}

function startOf(block: OpenedBlock, { target }: WriterContext): AnthropicBlock {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'reasoning': {
      const data = target.family === 'anthropic' ? block.metadata.anthropic?.redactedData : undefined;
      if (typeof data === 'string') return { type: 'redacted_thinking', data };
      return { type: 'thinking', thinking: '', signature: '' };
    }
    case 'call': {
      const { id, name } = block;
      const type = block.isExecuted ? 'server_tool_use' : 'tool_use';
      return { type, id, name, input: {}, caller: { type: 'direct' } };
    }
  }
}

function deltaOf(block: OpenedBlock, text: string): AnthropicBlock {
  switch (block.kind) {
    case 'text':
      return { type: 'text_delta', text };
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text };
    case 'call':
      return { type: 'input_json_delta', partial_json: text };
  }
}

function delta(index: number, value: AnthropicBlock): AnthropicEvent {
  return { type: 'content_block_delta', index, delta: value };
}

/** Anthropic's own signature is unchanged; another provider's is sealed, so that it comes back only to that provider. */
function signatureOf(
  block: OpenedBlock & { readonly kind: 'reasoning' },
  metadata: Metadata,
  { target }: WriterContext,
): string | undefined {
  if (target.family !== 'anthropic') return writeSeal({ provider: target.provider, metadata });
  if (typeof block.metadata.anthropic?.redactedData === 'string') return undefined;
  const signature = metadata.anthropic?.signature;
  return typeof signature === 'string' ? signature : '';
}

/** In the format of a web search, the only citation of an address. Its index is sealed, so that no API takes it for its own. */
function citationOf(source: SourcePart, { target }: WriterContext): AnthropicBlock {
  return {
    type: 'web_search_result_location',
    cited_text: '',
    url: addressOf(source),
    title: source.title ?? null,
    encrypted_index: writeSeal({ provider: target.provider, metadata: {} }),
  };
}

/** The one call that a provider executes here and that has a block: a search. */
function resultBlock({
  toolCallId,
  result,
  isError,
}: Extract<BlockEvent, { type: 'result' }>['result']): AnthropicBlock {
  const found: readonly unknown[] = Array.isArray(result) ? result : [];
  const references = found.flatMap((one) =>
    isJsonObject(one) && typeof one.toolName === 'string' ? [{ type: 'tool_reference', tool_name: one.toolName }] : [],
  );
  const failed = isJsonObject(result) ? result : {};
  const content =
    isError === true
      ? { type: 'tool_search_tool_result_error', error_code: failed.errorCode ?? 'unavailable', error_message: null }
      : { type: 'tool_search_tool_search_result', tool_references: references };
  return { type: 'tool_search_tool_result', tool_use_id: toolCallId, content };
}

/** A finish reason in the words of the Messages API. The words that the interface does not have are taken from the raw one. */
function stopReason({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): string {
  if (raw !== undefined && RAW.has(raw)) return raw;
  // Many hosts say "stop" after a call.
  if (hasCalls && (unified === 'stop' || unified === 'other' || unified === 'tool-calls')) return 'tool_use';
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

const RAW: ReadonlySet<string> = new Set(['stop_sequence', 'pause_turn', 'refusal', 'model_context_window_exceeded']);

/** For a message that has only begun: its usage is known at the end. */
const EMPTY_USAGE: AnthropicUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  output_tokens_details: null,
  speed: null,
};

/** Here `input_tokens` are those that no cache had; elsewhere the total. */
function writeUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): AnthropicUsage {
  const { total = 0, cacheRead, cacheWrite } = inputTokens;
  const noCache = inputTokens.noCache ?? Math.max(0, total - (cacheRead ?? 0) - (cacheWrite ?? 0));
  return {
    ...EMPTY_USAGE,
    input_tokens: noCache,
    output_tokens: outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0),
    cache_creation_input_tokens: cacheWrite ?? null,
    cache_read_input_tokens: cacheRead ?? null,
  };
}
