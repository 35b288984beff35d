import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Own } from '@quartermaster/core/disclosure';
import { tryParseJson } from '@quartermaster/core/internal';
import { type AnsweredCall, readShownCall, shownInput } from '../internal/answered-turns.ts';
import type { FindResult, PlainParts, RankedPart } from '../internal/render-turns.ts';
import { readSearchAnswer, type SearchAnswer, writeSearchAnswer } from '../internal/search-answer.ts';
import {
  type GeminiContent,
  type GeminiFunctionCall,
  type GeminiFunctionResponse,
  type GeminiPart,
  partsOf,
} from './gemini-shapes-2026-11.ts';

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

/** The visible half of a call. What else the model's part had, such as a thought signature, stays there. */
export function writeCallPart(call: AnsweredCall, { functionCall: _, ...beside }: GeminiPart = {}): GeminiPart {
  return { ...beside, toolCall: { id: call.id, toolType: typeOf(call.role), args: shownInput(call) } };
}

export function writeAnswerPart(call: AnsweredCall, answer: SearchAnswer): GeminiPart {
  return { toolResponse: { id: call.id, toolType: typeOf(call.role), response: writeSearchAnswer(answer) } };
}

/** Whether a part is one of ours, call or answer. */
export function isSearchPart(part: GeminiPart): boolean {
  return ALL_TYPES.has(part.toolCall?.toolType ?? '') || ALL_TYPES.has(part.toolResponse?.toolType ?? '');
}

/** The parts of a history, ours among them. */
export const GEMINI_PARTS: PlainParts<GeminiContent, GeminiPart> = {
  isModels: ({ role }) => role === 'model',
  partsOf,
  withParts: (content, parts) => ({ ...content, parts }),
  isQuestion: (content) => !partsOf(content).every((part) => part.functionResponse !== undefined),
  resultsIn: partsOf,
  takeCall(open, { functionResponse }) {
    const call = functionResponse === undefined ? undefined : findCall(open, functionResponse);
    if (call !== undefined) open.splice(open.indexOf(call), 1);
    return call;
  },
  clientCall({ functionCall }) {
    if (!isJsonObject(functionCall)) return undefined;
    const { name = '', args = {} }: GeminiFunctionCall = functionCall;
    return { name, arguments: args };
  },
  isOurs: isSearchPart,
  readCall({ toolCall }) {
    if (typeof toolCall?.id !== 'string' || !ALL_TYPES.has(toolCall.toolType ?? '')) return undefined;
    return readShownCall(roleOf(toolCall.toolType), { id: toolCall.id, name: '', input: toolCall.args });
  },
  readAnswer({ toolResponse }) {
    if (typeof toolResponse?.id !== 'string' || !ALL_TYPES.has(toolResponse.toolType ?? '')) return undefined;
    return { id: toolResponse.id, answer: readSearchAnswer(roleOf(toolResponse.toolType), toolResponse.response) };
  },
  plainCall({ toolCall: _, ...beside }, { id }, { name, arguments: args }) {
    return { ...beside, functionCall: { ...sentId(id), name, args: args as JsonObject } };
  },
  plainAnswer: ({ call: { id } }, { name }, text) => ({
    functionResponse: { ...sentId(id), name, response: toResponse(text) },
  }),
  answers: (parts) => ({ parts, role: 'user' }),
  renamedCall(part, { name, arguments: args }) {
    const given = args === undefined ? {} : { args: args as JsonObject };
    return { ...part, functionCall: { ...part.functionCall, name, ...given } };
  },
  between: renderAnswering,
};

function sentId(id: string): { readonly id?: string } {
  return id.startsWith(MADE_ID_PREFIX) ? {} : { id };
}

/** A response is an object: our answers are JSON, and a refusal's sentence gets the key that the API names for output. */
function toResponse(text: string): JsonObject {
  const value = tryParseJson(text);
  return isJsonObject(value) ? value : { output: text };
}

/** By id if both have one, else by name and order, because Gemini often gives no ids, and upstreams that do reuse them. */
function findCall(open: readonly GeminiPart[], { id, name }: GeminiFunctionResponse): GeminiPart | undefined {
  const byId = id === undefined ? undefined : open.find((part) => part.functionCall?.id === id);
  if (byId !== undefined) return byId;
  return open.find(({ functionCall }) => {
    if (id !== undefined && functionCall?.id !== undefined) return false;
    return name === undefined || functionCall?.name === name;
  });
}

/**
 * What the client sent between two model turns. Drops responses without a call; the others, and ours, get the name and the
 * order of their calls: parallel responses arrive in any order, and without ids only the order distinguishes two
 * calls of one name. Those that can't be sorted in place move to the first content that has any.
 */
function renderAnswering(
  contents: readonly GeminiContent[],
  waiting: readonly RankedPart<GeminiPart>[],
  find: FindResult<GeminiPart>,
): readonly GeminiContent[] {
  const responses = contents.flatMap(partsOf).flatMap((part): readonly RankedPart<GeminiPart>[] => {
    const found = find(part);
    if (found === undefined) return [];
    const { rank, name } = found;
    if (name === undefined) return [{ part, rank }];
    return [{ part: { ...part, functionResponse: { ...part.functionResponse, name } }, rank }];
  });
  const ordered = [...waiting, ...responses].sort((left, right) => left.rank - right.rank);
  const isInOrder = waiting.length === 0 && ordered.every((one, index) => one === responses[index]);
  return contents.flatMap((content) => {
    const all = partsOf(content);
    const hasResponse = all.some((part) => find(part) !== undefined);
    const moved = isInOrder || !hasResponse ? [] : ordered.splice(0).map(({ part }) => part);
    const stayed = all.flatMap((part): readonly GeminiPart[] => {
      if (part.functionResponse === undefined) return [part];
      const next = isInOrder && find(part) !== undefined ? ordered.shift() : undefined;
      return next === undefined ? [] : [next.part];
    });
    return withRendered(content, [...moved, ...stayed]);
  });
}

/** No content that has parts ends up with none; unchanged contents stay the same objects. */
function withRendered(content: GeminiContent, parts: readonly GeminiPart[]): readonly GeminiContent[] {
  const all = partsOf(content);
  if (parts.length === 0 && all.length > 0) return [];
  const isSame = parts.length === all.length && parts.every((part, index) => part === all[index]);
  return [isSame ? content : { ...content, parts }];
}

function typeOf(role: Own['role'] | undefined): SearchType {
  return role === undefined ? 'FUNCTION_CALL' : TYPES[role];
}

function roleOf(toolType: string | undefined): Own['role'] | undefined {
  return (Object.keys(TYPES) as Own['role'][]).find((role) => TYPES[role] === toolType);
}
