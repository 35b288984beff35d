import type { Toolbox } from '@quartermaster/core';
import type { DeferPlan } from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { runLoop, type TranscriptStore } from '@quartermaster/core/loop';
import type { DialectUpstream } from '@quartermaster/host/upstream';
import {
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropicWhole,
  createAnthropicWire,
} from '@quartermaster/wires/anthropic';

export interface Asking {
  readonly request: AnthropicRequest;
  readonly plan: DeferPlan;
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  readonly transcript: TranscriptStore;
  readonly upstream: DialectUpstream<'anthropic'>;
  readonly signal: AbortSignal;
}

/** Every conversation is stored in the format of the Messages API, whatever the model speaks. */
export const agentWire: ReturnType<typeof createAnthropicWire> = createAnthropicWire({ missingDeferral: 'automatic' });

/** One response, including its searches: the parts as they arrive, and the whole at the end. */
export async function* askModel(asking: Asking): AsyncGenerator<AnthropicEvent, AnthropicResponse, undefined> {
  const { upstream, ...rest } = asking;
  const events: AnthropicEvent[] = [];
  for await (const event of runLoop({ wire: agentWire, upstream: upstream.stream, ...rest })) {
    events.push(event);
    yield event;
  }
  return anthropicWhole.fromParts(events);
}
