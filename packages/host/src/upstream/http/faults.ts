import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Dialect } from '../dialect.ts';

/**
 * What of a host's answer can't be read as its dialect, in words; undefined for what can. Only what is read here is looked at, so
 * that fields and events that nobody here knows stay a host's own business.
 */
export interface Faults {
  /** Of a whole response. */
  whole(answer: JsonObject): string | undefined;
  /** Of one part of a stream. */
  part(part: JsonObject): string | undefined;
}

export const FAULTS: Readonly<Record<Dialect, Faults>> = {
  anthropic: {
    whole: ({ content }) => unlessObjects('content', content),
    part(part) {
      if (typeof part.type !== 'string') return 'type is no text';
      const field = Object.hasOwn(EVENT_FIELDS, part.type) ? EVENT_FIELDS[part.type] : undefined;
      return field === undefined || isJsonObject(part[field]) ? undefined : `${field} of ${part.type} is no object`;
    },
  },
  'openai-chat': {
    whole({ choices }) {
      return unlessObjects('choices', choices) ?? firstOf(choices, (choice) => chatFault('message', choice.message));
    },
    part({ choices }) {
      if (isAbsent(choices)) return undefined;
      return (
        unlessObjects('choices', choices) ??
        firstOf(choices, ({ delta }) => (isAbsent(delta) ? undefined : chatFault('delta', delta)))
      );
    },
  },
  'openai-responses': {
    whole: ({ output }) => unlessObjects('output', output),
    part({ type, item, response }) {
      if (typeof type !== 'string') return 'type is no text';
      if (item !== undefined && !isJsonObject(item)) return 'item is no object';
      if (response === undefined) return undefined;
      if (!isJsonObject(response)) return 'response is no object';
      return isAbsent(response.output) ? undefined : unlessObjects('output', response.output);
    },
  },
};

/** Where the events of the Messages API have what they tell. */
const EVENT_FIELDS: Readonly<Record<string, string>> = {
  message_start: 'message',
  content_block_start: 'content_block',
  content_block_delta: 'delta',
  message_delta: 'delta',
  error: 'error',
};

function chatFault(name: string, said: unknown): string | undefined {
  if (!isJsonObject(said)) return `${name} is no object`;
  const { tool_calls: calls } = said;
  if (isAbsent(calls)) return undefined;
  return (
    unlessObjects('tool_calls', calls) ??
    firstOf(calls, (call) => {
      const inner = [call.function, call.custom];
      return inner.every((value) => isAbsent(value) || isJsonObject(value)) ? undefined : 'a call is no object';
    })
  );
}

function unlessObjects(name: string, list: unknown): string | undefined {
  return Array.isArray(list) && list.every(isJsonObject) ? undefined : `${name} is no list of objects`;
}

/** The first fault in a list that is known to be one of objects. */
function firstOf(list: unknown, fault: (entry: JsonObject) => string | undefined): string | undefined {
  for (const entry of list as readonly JsonObject[]) {
    const found = fault(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
