import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Own } from '@quartermaster/core/disclosure';
import { readSearchAnswer, type SearchAnswer, writeSearchAnswer } from '../internal/search-answer.ts';
import type { GeminiPart } from './gemini-shapes-2026-11.ts';

/**
 * How our rounds appear in a history: as server-side tool calls, which clients are expected to send back unchanged. The
 * types are ours; the real API does not know them, so they never go upstream.
 */
type SearchType = 'TOOL_SEARCH' | 'TOOL_DESCRIBE' | 'TOOL_CALL' | 'FUNCTION_CALL';

/** By the role of the called tool. A real tool, refused before the client saw the call, has none. */
const TYPES: { readonly [Role in Own['role']]: SearchType } = {
  search: 'TOOL_SEARCH',
  describe: 'TOOL_DESCRIBE',
  call: 'TOOL_CALL',
};
const ALL_TYPES: ReadonlySet<string> = new Set<SearchType>([...Object.values(TYPES), 'FUNCTION_CALL']);

/** An id for a call that had none. Removed again on the way upstream. */
export const MADE_ID_PREFIX = 'qm_';

/** A call that was answered within the response. */
export interface SearchCall {
  readonly id: string;
  /** Undefined for a real tool. */
  readonly role: Own['role'] | undefined;
  /** The name that the model wrote; relevant for a real tool only. */
  readonly name: string;
  readonly args: JsonObject;
}

/** The visible half of a call. What the model's part had beside it, such as a thought signature, stays there. */
export function writeCallPart(call: SearchCall, beside: GeminiPart = {}): GeminiPart {
  const { functionCall: _, ...rest } = beside;
  const isReal = call.role === undefined;
  return {
    ...rest,
    toolCall: {
      id: call.id,
      toolType: typeOf(call.role),
      args: isReal ? { name: call.name, arguments: call.args } : call.args,
    },
  };
}

export function writeAnswerPart(call: SearchCall, answer: SearchAnswer): GeminiPart {
  return { toolResponse: { id: call.id, toolType: typeOf(call.role), response: writeSearchAnswer(answer) } };
}

/** Whether a part is one of ours, call or answer. */
export function isSearchPart(part: GeminiPart): boolean {
  return ALL_TYPES.has(part.toolCall?.toolType ?? '') || ALL_TYPES.has(part.toolResponse?.toolType ?? '');
}

export function readCallPart(part: GeminiPart): SearchCall | undefined {
  const { toolCall } = part;
  if (typeof toolCall?.id !== 'string' || !ALL_TYPES.has(toolCall.toolType ?? '')) return undefined;
  const args = isJsonObject(toolCall.args) ? toolCall.args : {};
  const role = roleOf(toolCall.toolType);
  if (role !== undefined) return { id: toolCall.id, role, name: '', args };
  if (typeof args.name !== 'string') return undefined;
  return { id: toolCall.id, role, name: args.name, args: isJsonObject(args.arguments) ? args.arguments : {} };
}

/** The answer in a part, with the id of its call. */
export function readAnswerPart(part: GeminiPart): { readonly id: string; readonly answer: SearchAnswer } | undefined {
  const { toolResponse } = part;
  if (typeof toolResponse?.id !== 'string' || !ALL_TYPES.has(toolResponse.toolType ?? '')) return undefined;
  return { id: toolResponse.id, answer: readSearchAnswer(roleOf(toolResponse.toolType), toolResponse.response) };
}

function typeOf(role: Own['role'] | undefined): SearchType {
  return role === undefined ? 'FUNCTION_CALL' : TYPES[role];
}

function roleOf(toolType: string | undefined): Own['role'] | undefined {
  return (Object.keys(TYPES) as Own['role'][]).find((role) => TYPES[role] === toolType);
}
