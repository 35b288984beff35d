import type { Step } from '@quartermaster/core/dispatch';
import type { HeldItemCall } from './reader.ts';
import type { ResponsesItem } from './responses-shapes-2026-11.ts';
import { searchCallItem, searchOutputItem } from './search-items.ts';
import { isSearch, itemOf, type WriterState } from './writer-state.ts';

/** A round for the history: what the model wrote, in its order, then the answers, then what they had no room for. */
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
 * A held call and its answer. A search that found is kept by what it found where that can be shown or loaded; any other answer
 * is kept as the text that it was.
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
    const aside = isKept ? [] : [{ type: 'message', role: 'developer', content: step.text }];
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

/** Whether the names found are all that there is to tell. */
function isKeptByNames({ found }: Step & { readonly kind: 'answer' }): boolean {
  return found?.kind === 'search' && found.also === undefined && found.unavailable === undefined;
}
