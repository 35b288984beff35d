import type { Call, Plan, Tool } from '@quartermaster/core';
import { isJsonObject, writeTools } from '@quartermaster/core/catalog';
import { parseArguments, type Step } from '@quartermaster/core/dispatch';
import type { HeldItemCall } from './reader.ts';
import { asideOf, type ResponsesItem, type SearchCallItem, type SearchOutputItem } from './responses-shapes-2026-11.ts';
import { isSearch, itemOf, type WriterState } from './writer-state.ts';

/** A round for the history: what the model wrote, in its order, then the answers, then what did not fit into them. */
export function roundItems(state: WriterState): readonly ResponsesItem[] {
  const { round } = state;
  const written = new Map(
    [...round.written].map(([index, item]): [number, readonly ResponsesItem[]] => [index, [item]]),
  );
  const answers: ResponsesItem[] = [];
  const asides: ResponsesItem[] = [];
  let last = Math.max(-1, ...written.keys());
  for (const step of round.steps) {
    const { outputIndex } = step.call as Partial<HeldItemCall>;
    last += 1;
    if (step.kind === 'calls') {
      written.set(outputIndex ?? last, round.delivered.get(step) ?? []);
      continue;
    }
    const { item, answer, aside } = pairFor(step, state);
    written.set(outputIndex ?? last, [item]);
    answers.push(answer);
    asides.push(...aside);
  }
  const items = [...written].sort(([left], [right]) => left - right).flatMap(([, made]) => made);
  return [...items, ...answers, ...asides];
}

/**
 * A held call and its answer. A successful search is stored by what it found if that can be shown or loaded; any other answer
 * is stored as its text.
 */
function pairFor(
  step: Step & { readonly kind: 'answer' },
  state: WriterState,
): { readonly item: ResponsesItem; readonly answer: ResponsesItem; readonly aside: readonly ResponsesItem[] } {
  const { plan } = state;
  const isNative = plan.kind === 'defer' && plan.form.reveal === 'native' && isSearch(step.call, plan);
  const isKept = isKeptByNames(step);
  if (isNative || (state.isShown && isKept)) {
    const key = state.searchKey(step.call);
    const aside = isKept ? [] : [asideOf(step.text)];
    return { item: searchCallItem(step.call, key), answer: searchOutputItem(step, key, plan), aside };
  }
  const source = itemOf(step.call) ?? {
    type: 'function_call',
    name: step.call.name,
    arguments: JSON.stringify(step.call.arguments),
  };
  const call_id = state.unique(step.call.id);
  const id = typeof source.id !== 'string' ? {} : { id: state.unique(source.id) };
  const output = source.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
  return { item: { ...source, ...id, call_id }, answer: { type: output, call_id, output: step.text }, aside: [] };
}

/** Whether the found names are all that there is to report. */
function isKeptByNames({ found }: Step & { readonly kind: 'answer' }): boolean {
  return found?.kind === 'search' && found.also === undefined && found.unavailable === undefined;
}

/** One of our searches as the provider would show its own: two items whose ids share their end. */
export function searchCallItem(call: Call, key: string): SearchCallItem {
  const input = parseArguments(call.arguments) ?? { query: String(call.arguments ?? '') };
  return {
    type: 'tool_search_call',
    id: `tsc_${key}`,
    call_id: null,
    execution: 'server',
    status: 'completed',
    arguments: input,
  };
}

/** Its outcome. A search that could not run is `incomplete`: there is no other place to say so. */
export function searchOutputItem(step: Step, key: string, plan: Plan): SearchOutputItem {
  const found = step.kind === 'answer' ? step.found : undefined;
  const names = found?.kind === 'search' ? found.names : [];
  return {
    type: 'tool_search_output',
    id: `tso_${key}`,
    call_id: null,
    execution: 'server',
    status: found?.kind === 'search' ? 'completed' : 'incomplete',
    tools: writeFound(names, plan),
  };
}

/** Full definitions as the client knows them. One that was added after the plan was made is given by its name. */
function writeFound(names: readonly string[], plan: Plan): readonly unknown[] {
  const { snapshot } = plan;
  const tools = names.map((name) => snapshot.resolve(name)).filter((tool): tool is Tool => tool !== undefined);
  const known = writeTools(tools, 'openai-responses', (tool) =>
    tool.server !== undefined && tool.extras.namespace === undefined ? { name: snapshot.modelName(tool) } : {},
  );
  const unknown = names.filter((name) => snapshot.resolve(name) === undefined);
  return [...known.filter(isJsonObject), ...unknown.map((name) => ({ type: 'function', name, parameters: null }))];
}
