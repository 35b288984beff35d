import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { JsonObject } from '@quartermaster/core/catalog';
import type {
  ResponsesEvent,
  ResponsesItem,
  ResponsesRequest,
  ResponsesResponse,
} from '@quartermaster/wires/openai-responses';
import { keptIn, writeSeal } from '../../internal/seal.ts';
import { base64Of } from '../file-part.ts';
import type { BlockWriter, WriterContext } from '../model-codec.ts';
import type { BlockEvent, Finish, Metadata, OpenedBlock } from '../serialise-parts.ts';
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
  let isOpen = false;
  let current: ItemWriter | undefined;

  const number = (events: readonly ResponsesEvent[]): readonly ResponsesEvent[] =>
    events.map((event) => {
      sequence += 1;
      return { ...event, sequence_number: sequence - 1 };
    });
  const open = (): readonly ResponsesEvent[] => {
    if (isOpen) return [];
    isOpen = true;
    const response = emptyResponse(request, context);
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  };
  const whole = (item: ResponsesItem): readonly ResponsesEvent[] => {
    const output_index = output.push(item) - 1;
    return [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  const begin = (block: OpenedBlock): readonly ResponsesEvent[] => {
    const seal = block.kind === 'call' ? sealOf(block.metadata, context) : undefined;
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
  const fileItem = (file: FilePart): readonly ResponsesEvent[] => {
    const image = imageItem(file, `ig_${context.id}_${output.length}`);
    if (image !== undefined) return whole(image);
    const text = `[a file of type ${file.mediaType}]`;
    return [...begin({ kind: 'text' }), ...(current?.go(text) ?? []), ...end({})];
  };
  const write = (event: BlockEvent): readonly ResponsesEvent[] => {
    switch (event.type) {
      case 'open':
        return begin(event.block);
      case 'delta':
        return current?.go(event.text) ?? [];
      case 'close':
        return end(event.metadata);
      case 'source':
        return current?.cite?.(event.source) ?? [];
      case 'file':
        return fileItem(event.file);
      case 'result':
        return [];
    }
  };

  return {
    write: (event) => number([...open(), ...write(event)]),
    finish: (finish) => number([...open(), closing(emptyResponse(request, context), output, finish)]),
  };
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
function sealOf(metadata: Metadata, { target }: WriterContext): string | undefined {
  if (target.family !== 'google' || Object.keys(keptIn(metadata)).length === 0) return undefined;
  return writeSeal({ provider: target.provider, metadata });
}

function reasoningItem(seal: string, id: string): ResponsesItem {
  return { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: seal };
}

type FilePart = Extract<BlockEvent, { type: 'file' }>['file'];

function imageItem(file: FilePart, id: string): ResponsesItem | undefined {
  const result = base64Of(file.data);
  if (result === undefined || !file.mediaType.startsWith('image/')) return undefined;
  return { type: 'image_generation_call', id, status: 'completed', result };
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
