import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, type Fact, remember } from '@quartermaster/core/disclosure';
import { rememberFound } from '@quartermaster/core/dispatch';
import { modelName } from '../internal/client-names.ts';
import { contentsOf, type GeminiPart, type GeminiRequest, partsOf } from './gemini-shapes-2026-11.ts';
import { type History, type HistoryItem, readHistory } from './read-history.ts';

/** What the contents have revealed: our searches where the client keeps them, and every call of a real tool. */
export function recallRequest(request: GeminiRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const history = readHistory(contentsOf(request));
  return history.items.reduce((memory, item) => rememberItem(memory, item, { history, plan }), EMPTY_MEMORY);
}

/** The memory after one item of the history. */
export function rememberItem(
  memory: Memory,
  item: HistoryItem,
  context: { readonly history: History; readonly plan: DeferPlan },
): Memory {
  if (item.kind === 'content') {
    const isAnswer = partsOf(item.content).every((part) => part.functionResponse !== undefined);
    return isAnswer ? memory : remember(memory, { kind: 'asked' });
  }
  return item.parts.reduce((known, part) => {
    const answer = context.history.searches.get(part)?.answer;
    if (answer !== undefined) return answer.kind === 'found' ? rememberFound(known, answer.found) : known;
    const fact = calledFact(part, context.plan);
    return fact === undefined ? known : remember(known, fact);
  }, memory);
}

function calledFact(part: GeminiPart, plan: DeferPlan): Fact | undefined {
  const name = part.functionCall?.name;
  if (name === undefined || plan.own.some((own) => own.name === name)) return undefined;
  return { kind: 'called', name: modelName(plan.snapshot, name) };
}
