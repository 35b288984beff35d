import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, remember } from '@quartermaster/core/disclosure';
import { rememberFound } from '@quartermaster/core/dispatch';
import { modelName } from '../internal/client-names.ts';
import type { ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { type History, type HistoryItem, isRealCall, readHistory } from './read-history.ts';

/** What the messages have revealed: our searches, and every call of a real tool. */
export function recallRequest(request: ModelRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const history = readHistory(request.prompt);
  return history.items.reduce((memory, item) => rememberItem(memory, item, { history, plan }), EMPTY_MEMORY);
}

/** The memory after one item of the history. */
export function rememberItem(
  memory: Memory,
  item: HistoryItem,
  context: { readonly history: History; readonly plan: DeferPlan },
): Memory {
  if (item.kind === 'message') return item.message.role === 'user' ? remember(memory, { kind: 'asked' }) : memory;
  const { history, plan } = context;
  return item.parts.reduce((known, part) => {
    const answer = history.searches.get(part)?.answer;
    if (answer !== undefined) return answer.kind === 'found' ? rememberFound(known, answer.found) : known;
    if (!isRealCall(part) || plan.own.some((own) => own.name === part.toolName)) return known;
    return remember(known, { kind: 'called', name: modelName(plan.snapshot, part.toolName) });
  }, memory);
}
