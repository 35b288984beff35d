import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { sumUsage } from '../internal/sum-usage.ts';
import type { AnthropicUsage } from './anthropic-shapes-2026-11.ts';

/** What one call reports twice: fields of the later report win unless they are null, as clients read it. */
export function overwriteUsage(before: AnthropicUsage, after: unknown): AnthropicUsage {
  if (!isJsonObject(after)) return before;
  return { ...before, ...Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null)) };
}

/** The usage of a response over the upstream calls that it took. */
export interface ResponseUsage {
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
