import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Call, Plan } from '@quartermaster/core';
import type { Resolved, Step } from '@quartermaster/core/dispatch';
import { defined, ownNamed, remainingTokens } from '@quartermaster/core/internal';
import { type Ending, uniqueIds, type Writer } from '@quartermaster/core/loop';
import { answeredCall } from '../internal/answered-turns.ts';
import { toSearchAnswer } from '../internal/search-answer.ts';
import { clientName } from '../internal/shown-tools.ts';
import type { Metadata, ModelPart, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import type { ModelCall } from './reader.ts';
import { relaxToolChoice } from './render.ts';
import { writeCallPart, writeResultPart } from './search-parts.ts';
import { toAssistantParts } from './to-assistant-parts.ts';
import { ContentAssembler } from './whole.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>;

/** The provider reason if the round limit is reached. */
const PAUSE_REASON = 'tool_search_pause';

/** Writes one response over all rounds: the start of the stream appears once, ids of texts and calls are unique, usage is summed. */
export function createWriter(request: ModelRequest, plan: Plan): Writer<ModelRequest, ModelPart> {
  const uniqueCall = uniqueIds({ taken: idsIn(request), prefix: 'call_' });
  const uniqueText = uniqueIds({ taken: [], prefix: 'text_' });
  const callIds = new Map<string, string>();
  const textIds = new Map<string, string>();
  const opened = new Set<string>();
  const shownCalls = new Set<Call>();
  const sent = new ContentAssembler();
  let usage: LanguageModelV4Usage | undefined;
  let closing: Finish | undefined;
  let isFirstRound = true;
  /** Whether calls were delivered that the provider's finish reason doesn't know of. */
  let delivers = false;

  const callId = (id: string): string => once(callIds, id, uniqueCall);
  const textId = (id: string): string => once(textIds, id, uniqueText);
  const record = (parts: readonly ModelPart[]): readonly ModelPart[] => {
    for (const part of parts) sent.add(part);
    return parts;
  };
  const shown = (call: Call): readonly ModelPart[] =>
    record([writeCallPart(answeredCall(call, plan, callId(call.id)), plan, metadataIn(call))]);

  return {
    forward(part) {
      const opening = openingKind(part);
      if (opening !== undefined) {
        if (opened.has(opening) && !isFirstRound) return [];
        opened.add(opening);
      }
      return record([renumber(part, { plan, callId, textId })]);
    },
    close(part) {
      if (part.type !== 'finish') return;
      usage = sumModelUsage(usage, part.usage);
      closing = part;
    },
    hold(call) {
      const role = ownNamed(plan, call.name)?.role;
      if (role !== 'search' && role !== 'describe') return [];
      shownCalls.add(call);
      return shown(call);
    },
    deliver(step) {
      if (step.kind === 'calls') {
        delivers = true;
        return record(realCalls(step, { plan, callId }));
      }
      return shownCalls.has(step.call) ? [] : shown(step.call);
    },
    answer(steps) {
      const results = steps.flatMap((step): readonly ModelPart[] => {
        if (step.kind === 'calls') return [];
        const call = answeredCall(step.call, plan, callId(step.call.id));
        return [writeResultPart(call, plan, toSearchAnswer(step))];
      });
      return record(results);
    },
    extend() {
      callIds.clear();
      textIds.clear();
      closing = undefined;
      isFirstRound = false;
      const relaxed = plan.kind === 'defer' ? relaxToolChoice(request, plan) : request;
      const left = remainingTokens(request.maxOutputTokens, usage?.outputTokens.total);
      return {
        ...relaxed,
        ...defined({ maxOutputTokens: left }),
        prompt: [...request.prompt, { role: 'assistant', content: toAssistantParts(sent.content) }],
      };
    },
    finish(ending) {
      // A stream without an end stays without one: `ai` knows how to handle that.
      if (closing === undefined || usage === undefined) return [];
      return [
        {
          ...closing,
          usage,
          finishReason: reasonFor(delivers || ending !== 'calls' ? ending : 'done', closing.finishReason),
        },
      ];
    },
  };
}

/** The start of the stream appears once, whatever the provider calls it. */
function openingKind(part: ModelPart): string | undefined {
  if (part.type === 'stream-start' || part.type === 'response-metadata') return part.type;
  return part.type === 'custom' && part.kind.endsWith('.message_start') ? part.kind : undefined;
}

/** `ai` executes calls only after these two reasons; an error must not be turned into one of them. */
function reasonFor(ending: Ending, reason: LanguageModelV4FinishReason): LanguageModelV4FinishReason {
  if (ending === 'pause') return { unified: 'other', raw: PAUSE_REASON };
  return ending === 'calls' && reason.unified === 'stop' ? { ...reason, unified: 'tool-calls' } : reason;
}

interface Naming {
  readonly plan: Plan;
  readonly callId: (id: string) => string;
  readonly textId: (id: string) => string;
}

/** A part of the model with a unique id: the numbering of texts and reasoning, and often of calls, restarts in each round. */
function renumber(part: ModelPart, { plan, callId, textId }: Naming): ModelPart {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return { ...part, id: textId(part.id) };
    case 'tool-input-start':
      return { ...part, id: callId(part.id), toolName: clientName(plan.snapshot, part.toolName) };
    case 'tool-input-delta':
    case 'tool-input-end':
      return { ...part, id: callId(part.id) };
    case 'tool-call':
      return { ...part, toolCallId: callId(part.toolCallId), toolName: clientName(plan.snapshot, part.toolName) };
    case 'tool-result':
    case 'tool-approval-request':
      return { ...part, toolCallId: callId(part.toolCallId) };
    default:
      return part;
  }
}

/** Resolved calls for `ai` to execute. The first keeps what the provider attached to the model's own call. */
function realCalls(
  step: Extract<Step, { readonly kind: 'calls' }>,
  { plan, callId }: Pick<Naming, 'plan' | 'callId'>,
): readonly ModelPart[] {
  const metadata = metadataIn(step.call);
  return step.calls.map((call: Resolved, index) => ({
    type: 'tool-call',
    toolCallId: callId(call.id),
    toolName: clientName(plan.snapshot, call.name),
    input: JSON.stringify(call.arguments),
    ...(index > 0 || metadata === undefined ? {} : { providerMetadata: metadata }),
  }));
}

function once(known: Map<string, string>, id: string, make: (id: string) => string): string {
  const made = known.get(id) ?? make(id);
  known.set(id, made);
  return made;
}

function metadataIn(call: ModelCall): Metadata | undefined {
  return call.metadata;
}

function idsIn(request: ModelRequest): readonly string[] {
  return request.prompt.flatMap((message) => {
    if (message.role !== 'assistant' && message.role !== 'tool') return [];
    return message.content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []));
  });
}

/** The usage of two rounds as one. A count that neither has stays unknown; the provider's raw figures are the later round's. */
function sumModelUsage(left: LanguageModelV4Usage | undefined, right: LanguageModelV4Usage): LanguageModelV4Usage {
  if (left === undefined) return right;
  const inputTokens = sumCounts(left.inputTokens, right.inputTokens);
  return { ...right, inputTokens, outputTokens: sumCounts(left.outputTokens, right.outputTokens) };
}

function sumCounts<Counts extends Readonly<Record<string, number | undefined>>>(left: Counts, right: Counts): Counts {
  const add = (name: string): number | undefined =>
    left[name] === undefined && right[name] === undefined ? undefined : (left[name] ?? 0) + (right[name] ?? 0);
  return Object.fromEntries(Object.keys({ ...left, ...right }).map((name) => [name, add(name)])) as Counts;
}
