import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { sumUsage } from '../internal/sum-usage.ts';
import type { AnthropicResponse, AnthropicUsage, MessageDeltaEvent } from './anthropic-shapes-2026-11.ts';

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

/** What one call reports twice: fields of the later report win unless they are null, as clients read it. */
export function overwriteUsage(before: AnthropicUsage, after: unknown): AnthropicUsage {
  if (!isJsonObject(after)) return before;
  return { ...before, ...Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null)) };
}

/** The usage of a response over the upstream calls that it took. */
interface ResponseUsage {
  /** A call begins, and says what it has read. */
  begin(usage: unknown): void;
  report(usage: unknown): void;
  /** How many tokens the model has written so far. */
  written(): number;
  /** The sum, with the searches that were run here beside what the upstream ran itself. */
  total(searches: number): AnthropicUsage;
}

export function responseUsage(): ResponseUsage {
  let before: AnthropicUsage = {};
  let current: AnthropicUsage = {};
  /** What the only round so far said at its end. */
  let reported: AnthropicUsage | undefined;
  let rounds = 0;
  return {
    begin(usage) {
      rounds += 1;
      before = add(before, current);
      current = overwriteUsage({}, usage);
    },
    report(usage) {
      if (isJsonObject(usage)) reported = usage;
      current = overwriteUsage(current, usage);
    },
    written: () => (before.output_tokens ?? 0) + (current.output_tokens ?? 0),
    total(searches) {
      // One round without a search is the host's own response, word for word.
      if (rounds <= 1 && searches === 0 && reported !== undefined) return reported;
      const usage = { output_tokens: 0, ...add(before, current) };
      return searches === 0 ? usage : add({ server_tool_use: NO_REQUESTS }, add(usage, ran(searches)));
    },
  };
}

const NO_REQUESTS = { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 0 };

function ran(searches: number): AnthropicUsage {
  return { server_tool_use: { tool_search_requests: searches } };
}

/** Iterations are told one by one: those of a later round follow those of an earlier. */
function add(left: AnthropicUsage, right: AnthropicUsage): AnthropicUsage {
  const sum = sumUsage(left as JsonObject, right as JsonObject) ?? {};
  const iterations = [left.iterations, right.iterations].filter(Array.isArray);
  return iterations.length < 2 ? sum : { ...sum, iterations: iterations.flat() };
}

/** Two responses of one turn as one: named by the first, ended by the last, with the content and the usage of both. */
export function joinResponses(before: AnthropicResponse, after: AnthropicResponse): AnthropicResponse {
  const { id, content, usage = {} } = before;
  return {
    ...mergeFields(before, after),
    id,
    content: [...content, ...after.content],
    usage: add(usage, overwriteUsage({}, after.usage)),
  };
}
