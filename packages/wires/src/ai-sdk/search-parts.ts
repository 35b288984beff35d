import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Own } from '@quartermaster/core/disclosure';
import { readSearchAnswer, type SearchAnswer, writeSearchAnswer } from '../internal/search-answer.ts';
import type { AssistantPart, CallPart, Metadata, ModelPart, ResultPart } from './language-model-v4-shapes-2026-11.ts';

/**
 * How our rounds appear in a response and in its messages: as calls of dynamic tools that the provider executed. A
 * mark in their metadata, which messages keep, distinguishes them from a provider's own.
 */
const MARK = 'quartermaster';

/** The role of the called tool; `function` for a real tool, refused before `ai` saw the call. */
type SearchRole = Own['role'] | 'function';

const ROLES: ReadonlySet<unknown> = new Set<SearchRole>(['search', 'describe', 'call', 'function']);

export interface SearchCall {
  readonly id: string;
  readonly role: SearchRole;
  /** The name of the tool as shown. */
  readonly name: string;
  readonly input: JsonObject;
}

type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;
type ToolResult = Extract<ModelPart, { type: 'tool-result' }>;

/** The visible half of a call. A signature that the provider attached stays there. */
export function writeCallPart(call: SearchCall, metadata: Metadata | undefined): ToolCall {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: JSON.stringify(call.input),
    providerExecuted: true,
    dynamic: true,
    providerMetadata: { ...metadata, [MARK]: { role: call.role } },
  };
}

export function writeResultPart(call: SearchCall, answer: SearchAnswer): ToolResult {
  const isError = answer.kind === 'refused' || answer.found.kind === 'failure';
  return {
    type: 'tool-result',
    toolCallId: call.id,
    toolName: call.name,
    // Plain JSON by construction; the SDK's type differs only in being mutable.
    result: writeSearchAnswer(answer) as ToolResult['result'],
    ...(isError ? { isError } : {}),
    dynamic: true,
    providerMetadata: { [MARK]: { role: call.role } },
  };
}

export function readCallPart(part: AssistantPart): SearchCall | undefined {
  if (part.type !== 'tool-call') return undefined;
  const role = roleIn(part.providerOptions);
  if (role === undefined) return undefined;
  return { id: part.toolCallId, role, name: part.toolName, input: isJsonObject(part.input) ? part.input : {} };
}

/** Whether a part is the result of one of our calls. */
export function isResultPart(part: AssistantPart): part is ResultPart {
  return part.type === 'tool-result' && roleIn(part.providerOptions) !== undefined;
}

export function readResultPart(part: ResultPart): SearchAnswer {
  const { output } = part;
  const role = roleIn(part.providerOptions);
  const value = output.type === 'json' || output.type === 'error-json' ? output.value : undefined;
  return readSearchAnswer(role === 'function' ? undefined : role, value);
}

/** Our call as an ordinary one, with only the provider's metadata attached. */
export function plainCall(part: CallPart, called: { readonly name: string; readonly input: unknown }): CallPart {
  const { providerExecuted: _, providerOptions, ...rest } = part;
  const { [MARK]: __, ...others } = providerOptions ?? {};
  return {
    ...rest,
    toolName: called.name,
    input: called.input,
    ...(Object.keys(others).length === 0 ? {} : { providerOptions: others }),
  };
}

function roleIn(metadata: Metadata | undefined): SearchRole | undefined {
  const role = metadata?.[MARK]?.role;
  return ROLES.has(role) ? (role as SearchRole) : undefined;
}
