import type { ToolOutcome } from '@quartermaster/core';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import type { Resolved } from '@quartermaster/core/dispatch';

/** The client's result of one call: what the server sent, or the text that a check replaced it with. */
export function toResult(outcome: ToolOutcome): JsonObject {
  if (isJsonObject(outcome.value)) return outcome.value;
  return { content: [{ type: 'text', text: outcome.text }], ...(outcome.isError ? { isError: true } : {}) };
}

/** Several wrapped calls in one result: the content of each under its name. Structured content belongs to one tool and is left out. */
export function toJointResult(calls: readonly Resolved[], outcomes: readonly ToolOutcome[]): JsonObject {
  const content = outcomes.flatMap((outcome, index): readonly Json[] => {
    const result = toResult(outcome);
    const blocks = Array.isArray(result.content) ? (result.content as readonly Json[]) : [];
    const failed = result.isError === true ? ' (failed)' : '';
    return [{ type: 'text', text: `${calls[index]?.name ?? ''}${failed}:` }, ...blocks];
  });
  const isError = outcomes.every((outcome) => outcome.isError);
  return { content, ...(isError ? { isError: true } : {}) };
}

export function textResult(texts: readonly string[], isError: boolean): JsonObject {
  return { content: texts.map((text) => ({ type: 'text', text })), ...(isError ? { isError: true } : {}) };
}
