import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicResponse, MessageDeltaEvent } from './anthropic-shapes-2026-11.ts';

/**
 * What the rounds of a response say besides their content. A response has what each of them brought: a container that only the
 * second one opened, the edits of all, the reason of the last.
 */
export interface ResponseClosing {
  /** A round begins. What the first one opens with goes to the client as it is. */
  begin(message: AnthropicResponse): void;
  add(event: MessageDeltaEvent): void;
  /** All rounds as one event; undefined when none has closed. */
  merged(): MessageDeltaEvent | undefined;
}

export function responseClosing(): ResponseClosing {
  let hasBegun = false;
  let closing: MessageDeltaEvent | undefined;
  return {
    begin(message) {
      if (hasBegun) {
        const late = lateFields(message);
        if (Object.keys(late).length > 0) {
          closing = { type: 'message_delta', ...closing, delta: mergeFields(closing?.delta ?? {}, late) };
        }
      }
      if (hasBegun && typeof message.stop_reason === 'string') {
        const { stop_reason, stop_sequence = null } = message;
        closing = { type: 'message_delta', ...closing, delta: { ...closing?.delta, stop_reason, stop_sequence } };
      }
      hasBegun = true;
    },
    add(event) {
      if (closing === undefined) {
        closing = event;
        return;
      }
      const { type, delta, ...fields } = closing;
      const { type: _, delta: later, ...laterFields } = event;
      closing = { type, ...mergeFields(fields, laterFields), delta: mergeFields(delta, later) };
    },
    merged: () => closing,
  };
}

/** What a message says at its start and nowhere else. */
const OPENING: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'content', 'usage']);

/** The fields of a whole message that a stream brings at its end. */
export function closingFields(message: AnthropicResponse): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !OPENING.has(key)));
}

/** The fields that a stream brings at its start. */
export function openingFields(message: AnthropicResponse): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).filter(([key]) => OPENING.has(key)));
}

/** A round that has only begun has no reason to stop. */
function lateFields(message: AnthropicResponse): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(closingFields(message)).filter(([key, value]) => !key.startsWith('stop_') && value !== null),
  );
}

/** The later round's fields, except that nothing takes the place of something and lists of edits grow. */
function mergeFields<Fields extends object>(before: Fields, after: object): Fields {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(before));
  for (const [key, value] of Object.entries(after)) {
    const known = merged[key];
    if (value === null && known !== undefined && !key.startsWith('stop_')) continue;
    merged[key] = key === 'context_management' ? mergeEdits(known, value) : value;
  }
  return merged as Fields;
}

function mergeEdits(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const edits = [before.applied_edits, after.applied_edits].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...before, ...after, applied_edits: edits };
}
