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
  cite(source: SourcePart): readonly ResponsesEvent[];
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

/** What distinguishes one type of item. */
interface ItemForm {
  /** How its id begins. */
  readonly prefix: string;
  readonly type: string;
  /** Its other fields, before it has any content. */
  readonly fields: object;
  /** The events of a piece of its content. @default none: it is sent whole */
  go?(place: Place, delta: string, before: string): readonly ResponsesEvent[];
  begin?(place: Place): readonly ResponsesEvent[];
  cite?(place: Place, source: SourcePart, at: number): readonly ResponsesEvent[];
  /** The fields of the whole item, and the events that end its content. */
  end(place: Place, content: string, seal: string | undefined): Ended;
}

interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

interface Ended {
  readonly fields: object;
  readonly events?: readonly ResponsesEvent[];
}

export function createItemWriter(block: OpenedBlock, { declared, index, responseId }: ItemContext): ItemWriter {
  const { prefix, type, fields, ...form } = formOf(block, declared);
  const id = `${prefix}_${responseId}_${index}`;
  const place = { item_id: id, output_index: index };
  let item: ResponsesItem = { type, id, ...fields };
  let content = '';
  return {
    kind: block.kind,
    item: () => item,
    begin: () => [{ type: 'response.output_item.added', output_index: index, item }, ...(form.begin?.(place) ?? [])],
    go(delta) {
      const events = form.go?.(place, delta, content) ?? [];
      content += delta;
      return events;
    },
    cite: (source) => form.cite?.(place, source, content.length) ?? [],
    end(seal) {
      const { fields: changed, events = [] } = form.end(place, content, seal);
      item = { ...item, ...changed };
      return [...events, { type: 'response.output_item.done', output_index: index, item }];
    },
  };
}

function formOf(block: OpenedBlock, declared: readonly DeclaredTool[]): ItemForm {
  if (block.kind === 'text') return messageForm();
  if (block.kind === 'reasoning') return REASONING;
  const tool = declared.find(({ modelName }) => modelName === block.name);
  if (tool?.kind === 'search') return searchForm(block);
  return tool?.kind === 'custom' ? customForm(block, tool) : functionForm(block, tool);
}

function messageForm(): ItemForm {
  const annotations: object[] = [];
  const part = (text: string): object => ({ type: 'output_text', text, annotations: [...annotations], logprobs: [] });
  const first = { content_index: 0 };
  return {
    ...{ prefix: 'msg', type: 'message', fields: { role: 'assistant', status: 'in_progress', content: [] } },
    begin: (place) => [{ type: 'response.content_part.added', ...place, ...first, part: part('') }],
    go: (place, delta) => [{ type: 'response.output_text.delta', ...place, ...first, delta, logprobs: [] }],
    cite(place, source, at) {
      const annotation = urlCitation(source, at);
      const annotation_index = annotations.push(annotation) - 1;
      return [{ type: 'response.output_text.annotation.added', ...place, ...first, annotation_index, annotation }];
    },
    end: (place, text) => ({
      fields: { status: 'completed', content: [part(text)] },
      events: [
        { type: 'response.output_text.done', ...place, ...first, text, logprobs: [] },
        { type: 'response.content_part.done', ...place, ...first, part: part(text) },
      ],
    }),
  };
}

const SUMMARY = 'response.reasoning_summary';

/** Without a text there is no part of the summary. */
const REASONING: ItemForm = {
  ...{ prefix: 'rs', type: 'reasoning', fields: { summary: [] } },
  go(place, delta, before) {
    const at = { ...place, summary_index: 0 };
    const part = { type: 'summary_text', text: '' };
    return [
      ...(before === '' ? [{ type: `${SUMMARY}_part.added`, ...at, part }] : []),
      { type: `${SUMMARY}_text.delta`, ...at, delta },
    ];
  },
  end(place, text, seal) {
    const at = { ...place, summary_index: 0 };
    const part = { type: 'summary_text', text };
    const sealed = defined({ encrypted_content: seal });
    if (text === '') return { fields: { summary: [], ...sealed } };
    return {
      fields: { summary: [part], ...sealed },
      events: [
        { type: `${SUMMARY}_text.done`, ...at, text },
        { type: `${SUMMARY}_part.done`, ...at, part },
      ],
    };
  },
};

type CallBlock = OpenedBlock & { readonly kind: 'call' };

function functionForm(block: CallBlock, tool: DeclaredTool | undefined): ItemForm {
  const name = tool?.name ?? block.name;
  const named = { call_id: block.id, name, ...defined({ namespace: tool?.namespace }) };
  return {
    ...{ prefix: 'fc', type: 'function_call', fields: { ...named, arguments: '', status: 'in_progress' } },
    go: (place, delta) => [{ type: 'response.function_call_arguments.delta', ...place, delta }],
    end: (place, json) => ({
      fields: { arguments: json, status: 'completed' },
      events: [{ type: 'response.function_call_arguments.done', ...place, name, arguments: json }],
    }),
  };
}

/** The model wrote JSON around the text: the text is known only once the JSON is complete. */
function customForm(block: CallBlock, { name, namespace }: DeclaredTool): ItemForm {
  const named = { call_id: block.id, name, ...defined({ namespace }) };
  return {
    ...{ prefix: 'ctc', type: 'custom_tool_call', fields: { ...named, input: '', status: 'in_progress' } },
    end(place, json) {
      const input = freeformInput(json);
      return {
        fields: { input, status: 'completed' },
        events: [
          { type: 'response.custom_tool_call_input.delta', ...place, delta: input },
          { type: 'response.custom_tool_call_input.done', ...place, input },
        ],
      };
    },
  };
}

/** A client-executed search is sent whole: it has no events. */
function searchForm({ id }: CallBlock): ItemForm {
  const fields = { call_id: id, execution: 'client', status: 'in_progress', arguments: {} };
  return {
    ...{ prefix: 'tsc', type: 'tool_search_call', fields },
    end: (_, json) => ({ fields: { status: 'completed', arguments: parseArguments(json) ?? json } }),
  };
}
