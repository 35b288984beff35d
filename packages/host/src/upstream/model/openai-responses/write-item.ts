import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { ResponsesEvent, ResponsesItem } from '@quartermaster/wires/openai-responses';
import { type DeclaredTool, freeformInput } from '../openai-tools.ts';
import type { OpenedBlock, SourcePart } from '../serialise-parts.ts';
import { urlCitation } from '../url-citation.ts';

/** Writes one item of the output: added, filled, done. */
export interface ItemWriter {
  readonly kind: OpenedBlock['kind'];
  begin(): readonly ResponsesEvent[];
  go(text: string): readonly ResponsesEvent[];
  /** Adds a source, to a message. */
  cite?(source: SourcePart): readonly ResponsesEvent[];
  /** `seal`: what reasoning has to carry. */
  end(seal: string | undefined): readonly ResponsesEvent[];
  /** As it is. */
  item(): ResponsesItem;
}

export interface ItemContext {
  readonly declared: readonly DeclaredTool[];
  readonly index: number;
  readonly responseId: string;
}

export function createItemWriter(block: OpenedBlock, context: ItemContext): ItemWriter {
  switch (block.kind) {
    case 'text':
      return messageWriter(context);
    case 'reasoning':
      return reasoningWriter(context);
    case 'call': {
      const tool = context.declared.find(({ modelName }) => modelName === block.name);
      if (tool?.kind === 'search') return searchWriter(block, context);
      return tool?.kind === 'custom' ? customWriter(block, tool, context) : functionWriter(block, tool, context);
    }
  }
}

type CallBlock = OpenedBlock & { readonly kind: 'call' };

function messageWriter({ index, responseId }: ItemContext): ItemWriter {
  const id = `msg_${responseId}_${index}`;
  const place = { item_id: id, output_index: index, content_index: 0 };
  const annotations: object[] = [];
  const part = (text: string): object => ({ type: 'output_text', text, annotations: [...annotations], logprobs: [] });
  let text = '';
  let item: ResponsesItem = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
  return {
    kind: 'text',
    item: () => item,
    begin: () => [added(index, item), { type: 'response.content_part.added', ...place, part: part('') }],
    go(delta) {
      text += delta;
      return [{ type: 'response.output_text.delta', ...place, delta, logprobs: [] }];
    },
    cite(source) {
      const annotation = urlCitation(source, text.length);
      const annotation_index = annotations.push(annotation) - 1;
      return [{ type: 'response.output_text.annotation.added', ...place, annotation_index, annotation }];
    },
    end() {
      item = { ...item, status: 'completed', content: [part(text)] };
      return [
        { type: 'response.output_text.done', ...place, text, logprobs: [] },
        { type: 'response.content_part.done', ...place, part: part(text) },
        done(index, item),
      ];
    },
  };
}

function reasoningWriter({ index, responseId }: ItemContext): ItemWriter {
  const id = `rs_${responseId}_${index}`;
  const place = { item_id: id, output_index: index, summary_index: 0 };
  const event = 'response.reasoning_summary';
  let text = '';
  let item: ResponsesItem = { type: 'reasoning', id, summary: [] };
  const begin = (): readonly ResponsesEvent[] =>
    text === '' ? [{ type: `${event}_part.added`, ...place, part: { type: 'summary_text', text: '' } }] : [];
  return {
    kind: 'reasoning',
    item: () => item,
    begin: () => [added(index, item)],
    go(delta) {
      const before = begin();
      text += delta;
      return [...before, { type: `${event}_text.delta`, ...place, delta }];
    },
    end(seal) {
      const part = { type: 'summary_text', text };
      item = {
        ...item,
        summary: text === '' ? [] : [part],
        ...defined({ encrypted_content: seal }),
      };
      if (text === '') return [done(index, item)];
      return [
        { type: `${event}_text.done`, ...place, text },
        { type: `${event}_part.done`, ...place, part },
        done(index, item),
      ];
    },
  };
}

function functionWriter(block: CallBlock, tool: DeclaredTool | undefined, context: ItemContext): ItemWriter {
  const { index, responseId } = context;
  const id = `fc_${responseId}_${index}`;
  const place = { item_id: id, output_index: index };
  const named = { name: tool?.name ?? block.name, ...namespaceOf(tool) };
  let json = '';
  let item: ResponsesItem = {
    type: 'function_call',
    id,
    call_id: block.id,
    ...named,
    arguments: '',
    status: 'in_progress',
  };
  return {
    kind: 'call',
    item: () => item,
    begin: () => [added(index, item)],
    go(delta) {
      json += delta;
      return [{ type: 'response.function_call_arguments.delta', ...place, delta }];
    },
    end() {
      item = { ...item, arguments: json, status: 'completed' };
      return [
        { type: 'response.function_call_arguments.done', ...place, name: named.name, arguments: json },
        done(index, item),
      ];
    },
  };
}

/** The model wrote JSON around the text: the text is known only once the JSON is complete. */
function customWriter(block: CallBlock, tool: DeclaredTool, { index, responseId }: ItemContext): ItemWriter {
  const id = `ctc_${responseId}_${index}`;
  const place = { item_id: id, output_index: index };
  let json = '';
  let item: ResponsesItem = {
    type: 'custom_tool_call',
    id,
    call_id: block.id,
    name: tool.name,
    ...namespaceOf(tool),
    input: '',
    status: 'in_progress',
  };
  return {
    kind: 'call',
    item: () => item,
    begin: () => [added(index, item)],
    go(delta) {
      json += delta;
      return [];
    },
    end() {
      const input = freeformInput(json);
      item = { ...item, input, status: 'completed' };
      return [
        { type: 'response.custom_tool_call_input.delta', ...place, delta: input },
        { type: 'response.custom_tool_call_input.done', ...place, input },
        done(index, item),
      ];
    },
  };
}

/** A client-executed search is sent whole: it has no events. */
function searchWriter(block: CallBlock, { index, responseId }: ItemContext): ItemWriter {
  let json = '';
  let item: ResponsesItem = {
    type: 'tool_search_call',
    id: `tsc_${responseId}_${index}`,
    call_id: block.id,
    execution: 'client',
    status: 'in_progress',
    arguments: {},
  };
  return {
    kind: 'call',
    item: () => item,
    begin: () => [added(index, item)],
    go(delta) {
      json += delta;
      return [];
    },
    end() {
      item = { ...item, status: 'completed', arguments: parseArguments(json) ?? json };
      return [done(index, item)];
    },
  };
}

function namespaceOf(tool: DeclaredTool | undefined): { readonly namespace?: string } {
  return tool?.namespace === undefined ? {} : { namespace: tool.namespace };
}

function added(output_index: number, item: ResponsesItem): ResponsesEvent {
  return { type: 'response.output_item.added', output_index, item };
}

function done(output_index: number, item: ResponsesItem): ResponsesEvent {
  return { type: 'response.output_item.done', output_index, item };
}
