import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';

/** A step of the history in a form that the model can read: a text, and its files. */
export type HistoryNote = readonly ({ readonly type: 'text'; readonly text: string } | LanguageModelV4FilePart)[];

/**
 * A step that this model's host has no format for: a tool that another host ran, or what it returned. The model sees what was asked
 * and found; ids and what only the other host can read are left out. `readFile` finds the files within.
 */
export function noteOf(
  step: Readonly<Record<string, unknown>>,
  readFile: (value: JsonObject) => LanguageModelV4FilePart | undefined,
): HistoryNote {
  const files: LanguageModelV4FilePart[] = [];
  const readable = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(readable).filter(isTold);
    if (!isJsonObject(value)) return value;
    const file = readFile(value);
    if (file?.data.type === 'data') {
      files.push(file);
      return undefined;
    }
    const entries = Object.entries(value).flatMap(([key, inner]) => {
      const told = OPAQUE.has(key) ? undefined : key === 'tools' ? namesIn(inner) : readable(inner);
      return isTold(told) && !(key === 'status' && told === 'completed') ? [[key, told]] : [];
    });
    return Object.fromEntries(entries);
  };
  const { type, ...rest } = step;
  const json = JSON.stringify(readable(rest) ?? {});
  return [{ type: 'text', text: `[Earlier step, ${String(type)}${json === '{}' ? '' : `: ${json}`}]` }, ...files];
}

/** Whether a step holds nothing that another host could read. */
export function isUnreadable(step: Readonly<Record<string, unknown>>): boolean {
  const told = Object.keys(step).filter((key) => key !== 'type' && !OPAQUE.has(key));
  return told.length === 0 && typeof step.encrypted_content === 'string';
}

/** What means something to one host only. */
const OPAQUE: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'tool_use_id',
  'approval_request_id',
  'caller',
  'cache_control',
  'encrypted_content',
  'encrypted_index',
  'encrypted_stdout',
  'signature',
]);

/** Definitions are of no use without the host that ran them. */
function namesIn(tools: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.flatMap((tool) => (isJsonObject(tool) && typeof tool.name === 'string' ? [tool.name] : []));
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null && !(isJsonObject(value) && Object.keys(value).length === 0);
}

/** The error for a part of a conversation that can't be passed on to this model's host. */
export function uncarried(field: string, part: string, advice = 'leave it out'): UpstreamError {
  const message = `${field}: ${part.slice(0, 300)} can't be passed on to the host of this model; ${advice}`;
  return new UpstreamError({ code: 'unsupported', message });
}
