import type { Plan } from '@quartermaster/core';
import { OWN_NAMES, type Own } from '@quartermaster/core/disclosure';
import { ownTool } from '@quartermaster/core/internal';
import { type AnsweredCall, readShownCall, shownInput } from '../internal/answered-turns.ts';
import type { PlainParts, RankedPart } from '../internal/render-turns.ts';
import { readSearchAnswer, type SearchAnswer, writeSearchAnswer } from '../internal/search-answer.ts';
import type {
  AssistantPart,
  CallPart,
  Metadata,
  ModelMessage,
  ModelPart,
  ResultPart,
  ToolMessage,
} from './language-model-v4-shapes-2026-11.ts';

/**
 * How our rounds appear in a response and in its messages: as calls of dynamic tools that the provider executed. A
 * mark in their metadata, which messages keep, distinguishes them from a provider's own.
 */
const MARK = 'quartermaster';

/** The role of the called tool; `function` for a real tool, refused before `ai` saw the call. */
type MarkedRole = Own['role'] | 'function';

const ROLES: ReadonlySet<unknown> = new Set<MarkedRole>(['search', 'describe', 'call', 'function']);

type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;
type ToolResult = Extract<ModelPart, { type: 'tool-result' }>;

/** The visible half of a call. A signature that the provider attached stays there. */
export function writeCallPart(call: AnsweredCall, plan: Plan, metadata: Metadata | undefined): ToolCall {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: shownName(call, plan),
    input: JSON.stringify(shownInput(call)),
    providerExecuted: true,
    dynamic: true,
    providerMetadata: { ...metadata, ...markOf(call) },
  };
}

export function writeResultPart(call: AnsweredCall, plan: Plan, answer: SearchAnswer): ToolResult {
  return {
    type: 'tool-result',
    toolCallId: call.id,
    toolName: shownName(call, plan),
    // Plain JSON by construction; the SDK's type differs only in being mutable.
    result: writeSearchAnswer(answer) as ToolResult['result'],
    ...(isFailure(answer) ? { isError: true } : {}),
    dynamic: true,
    providerMetadata: markOf(call),
  };
}

function shownName({ role, name }: AnsweredCall, plan: Plan): string {
  return role === undefined ? (ownTool(plan, 'call')?.name ?? OWN_NAMES.call) : name;
}

function markOf({ role = 'function' }: { readonly role: MarkedRole | undefined }): Metadata {
  return { [MARK]: { role } };
}

function isFailure(answer: SearchAnswer): boolean {
  return answer.kind === 'refused' || answer.found.kind === 'failure';
}

/** Any part of a prompt's messages. */
type PromptPart = AssistantPart | ToolMessage['content'][number];

/** The parts of a prompt, ours among them. */
export const MODEL_PARTS: PlainParts<ModelMessage, PromptPart> = {
  isModels: ({ role }) => role === 'assistant',
  partsOf: (message) => (message.role === 'assistant' ? message.content : []),
  withParts: (message, parts) =>
    message.role === 'assistant' ? { ...message, content: parts as AssistantPart[] } : message,
  isQuestion: ({ role }) => role === 'user',
  resultsIn: (message) => (message.role === 'tool' ? message.content : undefined),
  takeCall(open, result) {
    if (result.type !== 'tool-result') return undefined;
    const isAsked = (part: PromptPart): boolean => isClientCall(part) && part.toolCallId === result.toolCallId;
    const call = open.findLast(isAsked);
    open.splice(0, open.length, ...open.filter((part) => !isAsked(part)));
    return call;
  },
  clientCall: (part) => (isClientCall(part) ? { name: part.toolName, arguments: part.input } : undefined),
  isOurs: (part) => roleIn(part) !== undefined,
  readCall(part) {
    const role = roleIn(part);
    if (part.type !== 'tool-call' || role === undefined) return undefined;
    const { toolCallId: id, toolName: name, input } = part;
    return readShownCall(role === 'function' ? undefined : role, { id, name, input });
  },
  readAnswer(part) {
    const role = roleIn(part);
    if (part.type !== 'tool-result' || role === undefined) return undefined;
    const { output } = part;
    const value = output.type === 'json' || output.type === 'error-json' ? output.value : undefined;
    return { id: part.toolCallId, answer: readSearchAnswer(role === 'function' ? undefined : role, value) };
  },
  plainCall(part, _call, called) {
    const { providerExecuted: _, providerOptions, ...rest } = part as CallPart;
    const { [MARK]: __, ...others } = providerOptions ?? {};
    return {
      ...rest,
      toolName: called.name,
      input: called.arguments,
      ...(Object.keys(others).length === 0 ? {} : { providerOptions: others }),
    };
  },
  plainAnswer({ call, answer }, called, value) {
    const output: ResultPart['output'] = { type: isFailure(answer) ? 'error-text' : 'text', value };
    return { type: 'tool-result', toolCallId: call.id, toolName: called.name, output };
  },
  answers: (parts) => ({ role: 'tool', content: parts as ToolMessage['content'] }),
  renamedCall(part, { name: toolName, arguments: input }) {
    const call = part as CallPart;
    return { ...call, toolName, input: input ?? call.input };
  },
  between(messages, waiting, find) {
    let ours = waiting;
    return messages.flatMap((message): ModelMessage[] => {
      if (message.role !== 'tool') return [message];
      const theirs = message.content.flatMap((part): readonly RankedPart<PromptPart>[] => {
        const found = find(part);
        if (part.type !== 'tool-result') return [{ part, rank: Number.MAX_SAFE_INTEGER }];
        if (found === undefined) return [];
        return [{ part: found.name === undefined ? part : { ...part, toolName: found.name }, rank: found.rank }];
      });
      const all = [...ours, ...theirs];
      const sorted = ours.length === 0 ? all : all.toSorted((left, right) => left.rank - right.rank);
      ours = [];
      const content = sorted.map(({ part }) => part) as ToolMessage['content'];
      return content.length === 0 ? [] : [{ ...message, content }];
    });
  },
};

/** A call that the client executes. */
function isClientCall(part: PromptPart): part is CallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

function roleIn({ type, providerOptions }: PromptPart): MarkedRole | undefined {
  const role = type === 'tool-call' || type === 'tool-result' ? providerOptions?.[MARK]?.role : undefined;
  return ROLES.has(role) ? (role as MarkedRole) : undefined;
}
