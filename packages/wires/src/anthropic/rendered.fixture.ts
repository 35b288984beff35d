import { createSnapshot, createToolbox, type Memory, type Plan, type Toolbox } from '@quartermaster/core';
import { NAME_TEMPLATES } from '@quartermaster/core/catalog';
import type { Form } from '@quartermaster/core/disclosure';
import type { Prefetched } from '@quartermaster/core/dispatch';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { anthropicWire } from './anthropic-dialect.ts';
import type { AnthropicRequest } from './anthropic-shapes-2026-11.ts';

export interface Rendered {
  readonly toolbox: Toolbox;
  readonly plan: Plan;
  readonly memory: Memory;
  readonly request: AnthropicRequest;
}

/** What goes upstream for a request whose own tools are the catalog. */
export function rendered(
  request: AnthropicRequest,
  form: Form,
  extra: { readonly prefetched?: Prefetched; readonly catalog?: AnthropicRequest } = {},
): Rendered {
  const opened = anthropicWire.open(extra.catalog ?? request);
  const { search } = anthropicWire.open(request);
  const toolbox = createToolbox({
    tools: createSnapshot(opened.tools, { nameTemplate: NAME_TEMPLATES.plain }),
    searcher: wordSearcher,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
  const plan = toolbox.plan(undefined, {
    form,
    describe: false,
    ...(search?.kind === 'hosted' ? { searchName: search.name } : {}),
  });
  const memory = anthropicWire.recall(request, plan);
  const { prefetched } = extra;
  const view = toolbox.view(plan, memory, { prefetched });
  const tell = (found: Parameters<Toolbox['tell']>[0]['found'], before: Memory): string =>
    toolbox.tell({ plan, found, before });
  return { toolbox, plan, memory, request: anthropicWire.render(request, view, tell) };
}

/** A custom tool's definition; `deferred` marks it. */
export function definition(name: string, options: { readonly deferred?: boolean } & Record<string, unknown> = {}) {
  const { deferred, ...rest } = options;
  return {
    name,
    description: `Does ${name.replaceAll('_', ' ')}.`,
    input_schema: { type: 'object', properties: { text: { type: 'string' } } },
    ...rest,
    ...(deferred === true ? { defer_loading: true } : {}),
  };
}

/** The blocks of a search, as a client replays them. */
export function searched(id: string, query: string, names: readonly string[]) {
  return [searchCall(id, query), searchFound(id, names)] as const;
}

export function searchCall(id: string, query: string) {
  return {
    type: 'server_tool_use',
    id,
    name: 'tool_search_tool_bm25',
    input: { query },
    caller: { type: 'direct' },
  } as const;
}

export function searchFound(id: string, names: readonly string[]) {
  return {
    type: 'tool_search_tool_result',
    tool_use_id: id,
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
    },
  } as const;
}

export function toolUse(id: string, name: string, input: object = {}) {
  return { type: 'tool_use', id, name, input } as const;
}

export function toolResult(id: string, content: unknown = 'ok') {
  return { type: 'tool_result', tool_use_id: id, content } as const;
}

export function reference(name: string) {
  return { type: 'tool_reference', tool_name: name } as const;
}
