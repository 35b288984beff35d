import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { JsonObject } from '@quartermaster/core/catalog';
import type {
  ResponsesEvent,
  ResponsesItem,
  ResponsesRequest,
  ResponsesResponse,
} from '@quartermaster/wires/openai-responses';
import { writeSeal } from '../../internal/seal.ts';
import type { BlockWriter, WriterContext } from '../model-codec.ts';
import type { Finish, Metadata, OpenedBlock } from '../serialise-parts.ts';
import { imageIn, sealOfCall, writeBlocks } from '../write-blocks.ts';
import { declaredTools } from './declared-tools.ts';
import { createItemWriter, type ItemWriter } from './write-item.ts';

/**
 * A model's blocks as the events of a Responses stream. Reasoning is sent as summaries, with what its provider wants back as
 * encrypted content, and sources as annotations. An image is a separate item; for another file a text names its type.
 */
export function writeEvents(request: ResponsesRequest, context: WriterContext): BlockWriter<ResponsesEvent> {
  const declared = declaredTools(request, context.target);
  const output: ResponsesItem[] = [];
  let sequence = 0;
  let current: ItemWriter | undefined;

  const number = (events: readonly ResponsesEvent[]): readonly ResponsesEvent[] =>
    events.map((event) => {
      sequence += 1;
      return { ...event, sequence_number: sequence - 1 };
    });
  const whole = (item: ResponsesItem): readonly ResponsesEvent[] => {
    const output_index = output.push(item) - 1;
    return [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  const begin = (block: OpenedBlock): readonly ResponsesEvent[] => {
    const seal = sealOfCall(block, context.target);
    const before = seal === undefined ? [] : whole(reasoningItem(seal, `${context.id}_${output.length}`));
    current = createItemWriter(block, { declared, index: output.length, responseId: context.id });
    output.push(current.item());
    return [...before, ...current.begin()];
  };
  const end = (metadata: Metadata): readonly ResponsesEvent[] => {
    if (current === undefined) return [];
    const { provider } = context.target;
    const events = current.end(current.kind === 'reasoning' ? writeSeal({ provider, metadata }) : undefined);
    output[output.length - 1] = current.item();
    current = undefined;
    return events;
  };

  const writer = writeBlocks<ResponsesEvent>({
    start() {
      const response = emptyResponse(request, context);
      return [
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
      ];
    },
    open: begin,
    delta: (text) => current?.go(text) ?? [],
    close: end,
    source: (source) => current?.cite(source) ?? [],
    file(file) {
      const image = imageIn(file);
      if ('text' in image) return [...begin({ kind: 'text' }), ...(current?.go(image.text) ?? []), ...end({})];
      const id = `ig_${context.id}_${output.length}`;
      return whole({ type: 'image_generation_call', id, status: 'completed', result: image.base64 });
    },
    finish: (finish) => [closing(emptyResponse(request, context), output, finish)],
  });
  return { write: (event) => number(writer.write(event)), finish: (finish) => number(writer.finish(finish)) };
}

function emptyResponse(request: ResponsesRequest, { id, model, createdMs }: WriterContext): ResponsesResponse {
  const { instructions = null, tools, tool_choice: choice = 'auto', metadata } = request;
  return {
    id: id.startsWith('resp_') ? id : `resp_${id}`,
    object: 'response',
    created_at: Math.floor(createdMs / 1000),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions,
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls !== false,
    tool_choice: choice,
    tools: tools ?? [],
    metadata: metadata ?? {},
    usage: null,
  };
}

function closing(response: ResponsesResponse, output: readonly ResponsesItem[], finish: Finish): ResponsesEvent {
  const cut = CUTS[finish.reason.unified];
  const status = cut === undefined ? 'completed' : 'incomplete';
  const usage = writeUsage(finish.usage);
  const done = { ...response, status, output: [...output], usage, incomplete_details: cut ? { reason: cut } : null };
  return { type: `response.${status}`, response: done };
}

/** Data that must come back with a call, in an item that clients keep without reading it. */
function reasoningItem(seal: string, id: string): ResponsesItem {
  return { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: seal };
}

function writeUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): JsonObject {
  const input = inputTokens.total ?? 0;
  const output = outputTokens.total ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: inputTokens.cacheRead ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: outputTokens.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

const CUTS: Readonly<Record<string, string | undefined>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};
