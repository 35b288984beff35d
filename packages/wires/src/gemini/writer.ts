import type { Call, Plan } from '@quartermaster/core';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import type { Resolved, Step } from '@quartermaster/core/dispatch';
import { defined, ownNamed, remainingTokens, sumUsage } from '@quartermaster/core/internal';
import { uniqueIds, type Writer } from '@quartermaster/core/loop';
import { answeredCall } from '../internal/answered-turns.ts';
import { toSearchAnswer } from '../internal/search-answer.ts';
import { clientName } from '../internal/shown-tools.ts';
import {
  contentsOf,
  type GeminiPart,
  type GeminiRequest,
  type GeminiResponse,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { hiddenContent, isEmpty } from './gemini-transcript.ts';
import { type GeminiCall, withParts } from './reader.ts';
import { relaxToolConfig } from './render.ts';
import { isSearchPart, MADE_ID_PREFIX, writeAnswerPart, writeCallPart } from './search-parts.ts';

export interface WriterOptions {
  /** Whether the client sees searches, and so sends them back. */
  readonly showSearches: boolean;
}

/** The finish reason at the round limit: the API's own code for a model that keeps calling its tools. */
const PAUSE_REASON = 'TOO_MANY_TOOL_CALLS';

/** Writes one response over all rounds. What the client does not see is recorded too, so that the next round has it. */
export function createWriter(
  request: GeminiRequest,
  plan: Plan,
  options: WriterOptions,
): Writer<GeminiRequest, GeminiResponse> {
  const unique = uniqueIds({ taken: idsIn(request), prefix: MADE_ID_PREFIX });
  const roundIds = new Map<string, string>();
  const shownCalls = new Set<Call>();
  const sent: GeminiPart[] = [];
  const isShown = options.showSearches && request.toolConfig?.includeServerSideToolInvocations !== false;
  let frame: GeminiResponse = {};
  let usageBefore: JsonObject | undefined;
  let usageNow: JsonObject | undefined;
  let closing: GeminiResponse | undefined;
  let isFirstRound = true;

  const idOf = (id: string): string => {
    const known = roundIds.get(id) ?? unique(id);
    roundIds.set(id, known);
    return known;
  };

  /** One response to the client: the first round's id stays, usage is summed, and what resumes a single request is left out. */
  const stamp = (chunk: GeminiResponse): GeminiResponse => {
    const { responseId } = frame;
    frame = { ...chunk, ...defined({ responseId }) };
    const usageMetadata = sumUsageMetadata(usageBefore, chunk.usageMetadata);
    return {
      ...withoutToken(frame, isFirstRound),
      ...(chunk.usageMetadata === undefined || usageMetadata === undefined ? {} : { usageMetadata }),
    };
  };

  /** Our parts as a chunk, with the fields of the latest one. */
  const emit = (parts: readonly GeminiPart[]): readonly GeminiResponse[] => {
    sent.push(...parts);
    const visible = isShown ? parts : parts.filter((part) => !isSearchPart(part));
    if (visible.length === 0) return [];
    const { candidates: _, usageMetadata: __, promptFeedback: ___, ...rest } = frame;
    return [{ ...rest, candidates: [{ content: { role: 'model', parts: visible }, index: 0 }] }];
  };

  const show = (call: Call): readonly GeminiResponse[] =>
    emit([writeCallPart(answeredCall(call, plan, idOf(call.id)), partIn(call))]);

  const take = (chunk: GeminiResponse): GeminiResponse => {
    const given = partsOf(chunk.candidates?.[0]?.content);
    const parts = given.map((part) => forClient(part, { plan, idOf }));
    sent.push(...parts.filter((part) => !isEmpty(part)));
    return given.length === 0 ? chunk : withParts(chunk, parts);
  };

  return {
    forward: (chunk) => {
      usageNow = chunk.usageMetadata ?? usageNow;
      return [stamp(take(chunk))];
    },
    close(chunk) {
      usageNow = chunk.usageMetadata ?? usageNow;
      closing = { ...closing, ...take(chunk) };
      frame = { ...chunk, ...frame };
    },
    hold(call) {
      const role = ownNamed(plan, call.name)?.role;
      if (role !== 'search' && role !== 'describe') return [];
      shownCalls.add(call);
      return show(call);
    },
    deliver(step) {
      if (step.kind === 'calls') return emit(realCalls(step, { plan, idOf }));
      return shownCalls.has(step.call) ? [] : show(step.call);
    },
    answer(steps) {
      const answers = steps.flatMap((step): readonly GeminiPart[] => {
        if (step.kind === 'calls') return [];
        return [writeAnswerPart(answeredCall(step.call, plan, idOf(step.call.id)), toSearchAnswer(step))];
      });
      return emit(answers);
    },
    extend() {
      roundIds.clear();
      usageBefore = sumUsageMetadata(usageBefore, usageNow);
      usageNow = undefined;
      closing = undefined;
      isFirstRound = false;
      const relaxed = plan.kind === 'defer' ? relaxToolConfig(request, plan) : request;
      return {
        ...relaxed,
        ...tokensLeft(request, usageBefore),
        // In the order of the SDK's own contents.
        contents: [...contentsOf(request), { parts: [...sent], role: 'model' }],
      };
    },
    hidden: () => (isShown ? undefined : hiddenContent(sent)),
    finish(ending) {
      const usageMetadata = sumUsageMetadata(usageBefore, usageNow);
      const last: GeminiResponse = { ...closing, ...defined({ usageMetadata }) };
      const { responseId } = frame;
      const framed = { ...last, ...defined({ responseId }) };
      // A blocked prompt has no candidate, and gets none.
      if (last.candidates === undefined && last.promptFeedback !== undefined) return [framed];
      const parts = partsOf(last.candidates?.[0]?.content);
      // The SDK's chats forget a turn that has an empty chunk; the API itself ends with an empty text.
      const whole = withParts(framed, parts.length > 0 ? parts : [{ text: '' }]);
      const [first, ...others] = whole.candidates ?? [];
      const finishReason = ending === 'pause' ? PAUSE_REASON : first?.finishReason;
      const candidate = { ...(first ?? { index: 0 }), ...defined({ finishReason }) };
      return [withoutToken({ ...whole, candidates: [candidate, ...others] }, isFirstRound)];
    },
  };
}

/** A token resumes the last upstream request, which is no longer the client's own once a round was added. */
function withoutToken(chunk: GeminiResponse, isFirstRound: boolean): GeminiResponse {
  const [first, ...others] = chunk.candidates ?? [];
  if (isFirstRound || first?.continuationToken === undefined) return chunk;
  const { continuationToken: _, ...rest } = first;
  return { ...chunk, candidates: [rest, ...others] };
}

function tokensLeft(request: GeminiRequest, usage: JsonObject | undefined): Partial<GeminiRequest> {
  const { generationConfig } = request;
  if (!isJsonObject(generationConfig)) return {};
  const written = [usage?.candidatesTokenCount, usage?.thoughtsTokenCount].filter((count) => typeof count === 'number');
  const left = remainingTokens(
    generationConfig.maxOutputTokens,
    written.reduce((sum, count) => sum + count, 0),
  );
  return left === undefined ? {} : { generationConfig: { ...generationConfig, maxOutputTokens: left } };
}

interface Naming {
  readonly plan: Plan;
  readonly idOf: (id: string) => string;
}

/** One of the upstream's parts with the client's names. A call without an id stays without. */
function forClient(part: GeminiPart, { plan, idOf }: Naming): GeminiPart {
  const { functionCall } = part;
  if (typeof functionCall?.name !== 'string') return part;
  const { id } = functionCall;
  const name = clientName(plan.snapshot, functionCall.name);
  const ownId = id === undefined ? undefined : idOf(id);
  if (name === functionCall.name && ownId === id) return part;
  return { ...part, functionCall: { ...functionCall, name, ...defined({ id: ownId }) } };
}

/** Resolved calls for the client to make. The first is in the model's own part, with its signature. */
function realCalls(step: Extract<Step, { readonly kind: 'calls' }>, { plan, idOf }: Naming): readonly GeminiPart[] {
  const { functionCall: given, ...beside } = partIn(step.call);
  const hasId = given?.id !== undefined && given.id !== '';
  return step.calls.map((call: Resolved, index) => ({
    ...(index === 0 ? beside : {}),
    functionCall: {
      ...(hasId ? { id: idOf(call.id) } : {}),
      name: clientName(plan.snapshot, call.name),
      args: call.arguments,
    },
  }));
}

function partIn(call: Call): GeminiPart {
  return 'part' in call ? (call as GeminiCall).part : {};
}

function idsIn(request: GeminiRequest): readonly string[] {
  return contentsOf(request).flatMap((content) =>
    partsOf(content).flatMap(({ functionCall, functionResponse, toolCall }) =>
      [functionCall?.id, functionResponse?.id, toolCall?.id].filter((id) => typeof id === 'string'),
    ),
  );
}

/** The usage of two rounds as one. Counts are added, also in lists by modality; anything else is the later round's. */
export function sumUsageMetadata(left: JsonObject | undefined, right: JsonObject | undefined): JsonObject | undefined {
  const sum = sumUsage(left, right);
  if (sum === undefined || left === undefined || right === undefined) return sum;
  return Object.fromEntries(
    Object.entries(sum).map(([key, value]) => {
      const [before, after] = [left[key], right[key]];
      return [key, Array.isArray(before) && Array.isArray(after) ? sumDetails(before, after) : value];
    }),
  );
}

/** `[{ modality: 'TEXT', tokenCount: 12 }, …]`, in the order in which modalities first appear. */
function sumDetails(left: readonly Json[], right: readonly Json[]): Json[] {
  const sums = new Map<string, JsonObject>();
  for (const detail of [...left, ...right]) {
    if (!isJsonObject(detail) || typeof detail.tokenCount !== 'number') continue;
    const modality = String(detail.modality);
    const before = sums.get(modality)?.tokenCount;
    sums.set(modality, { ...detail, tokenCount: detail.tokenCount + (typeof before === 'number' ? before : 0) });
  }
  return [...sums.values()];
}
