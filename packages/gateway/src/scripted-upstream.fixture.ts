import { capabilitiesOf } from '@quartermaster/core/disclosure';
import { contextWindow } from '@quartermaster/core/gate';
import { type DialectName, type DialectUpstream, UpstreamError } from '@quartermaster/host/upstream';
import { type AnthropicEvent, type AnthropicRequest, anthropicWhole } from '@quartermaster/wires/anthropic';
import { type ChatChunk, type ChatRequest, chatWhole } from '@quartermaster/wires/openai-chat';
import { type ResponsesEvent, type ResponsesRequest, responsesWhole } from '@quartermaster/wires/openai-responses';
import type { GatewayUpstream, Upstreams } from './configured-upstreams.ts';

/** What an upstream says in one round: parts, or a failure; between parts it may wait. */
type ScriptedRound<Part> = readonly (Part | Error | Promise<unknown>)[];

export interface Script {
  readonly anthropic?: readonly ScriptedRound<AnthropicEvent>[];
  readonly chat?: readonly ScriptedRound<ChatChunk>[];
  readonly responses?: readonly ScriptedRound<ResponsesEvent>[];
}

export interface ScriptedUpstreams extends Upstreams {
  /** The requests that arrived, in order. */
  readonly requests: readonly (AnthropicRequest & ChatRequest & ResponsesRequest)[];
  readonly headers: readonly Headers[];
  /** How many streams were ended by the signal. */
  readonly aborted: { count: number };
}

/** An upstream in this process that answers from a script. `transport` says what it can carry. */
export function scriptedUpstreams(
  script: Script,
  options: { readonly transport?: string; readonly upstream?: Partial<GatewayUpstream> } = {},
): ScriptedUpstreams {
  const requests: (AnthropicRequest & ChatRequest & ResponsesRequest)[] = [];
  const seen: Headers[] = [];
  const aborted = { count: 0 };
  const transport = options.transport ?? 'openai-chat';

  async function* play<Part>(rounds: readonly ScriptedRound<Part>[], request: unknown, signal: AbortSignal) {
    const round = rounds[requests.length];
    requests.push(request as (typeof requests)[number]);
    if (round === undefined) throw new Error('The script is over');
    // Wherever the stream is when the signal aborts, between two parts or waiting for the next, it counts once.
    let isOver = false;
    const gone = new Promise<void>((resolve) => {
      const end = (): void => {
        if (!isOver) aborted.count += 1;
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    try {
      for (const step of round) {
        if (step instanceof Error) throw step;
        if (step instanceof Promise) {
          await Promise.race([step, gone]);
          signal.throwIfAborted();
        } else yield step;
      }
    } finally {
      isOver = true;
    }
  }

  function exchangeIn(dialect: DialectName): unknown {
    const rounds = { anthropic: script.anthropic, 'openai-chat': script.chat, 'openai-responses': script.responses };
    const whole = { anthropic: anthropicWhole, 'openai-chat': chatWhole, 'openai-responses': responsesWhole }[dialect];
    const exchange = {
      dialect,
      transport,
      stream: (request: unknown, signal: AbortSignal) => play<unknown>(rounds[dialect] ?? [], request, signal),
      async whole(request: unknown, signal: AbortSignal) {
        const parts: unknown[] = [];
        for await (const part of play<unknown>(rounds[dialect] ?? [], request, signal)) parts.push(part);
        return whole.fromParts(parts as never);
      },
      forClient({ headers }: { headers?: Headers }) {
        if (headers !== undefined) seen.push(headers);
        return exchange;
      },
    };
    return exchange;
  }

  const upstream: GatewayUpstream = {
    name: 'scripted',
    toolSearch: 'local',
    limits: contextWindow({ model: 'claude-test' }),
    capabilities: () => capabilitiesOf(transport),
    for: async <Name extends DialectName>(dialect: Name) => exchangeIn(dialect) as DialectUpstream<Name>,
    ...options.upstream,
  };
  return {
    requests,
    headers: seen,
    aborted,
    resolve: (model) => (model.startsWith('unknown') ? undefined : upstream),
    models: async () => [
      { id: 'claude-test', displayName: 'Claude Test', createdAt: '2023-11-14T22:13:20Z', limits: upstream.limits },
      { id: 'vendor/other', limits: upstream.limits },
    ],
  };
}

/** An error as an upstream throws it. */
export function upstreamError(status: number, body: unknown): Error {
  return new UpstreamError({ code: 'refused', message: `The upstream answered with status ${status}`, status, body });
}

export type Block = { readonly text: string } | { readonly call: string; readonly id: string; readonly input: unknown };

/** What an Anthropic-like host streams for one message. */
export function message(blocks: readonly Block[], stopReason: string): readonly AnthropicEvent[] {
  return [
    {
      type: 'message_start',
      message: {
        ...{ id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-test', content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
      },
    },
    ...blocks.flatMap((block, index): AnthropicEvent[] => {
      const isText = 'text' in block;
      const delta = isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      const start = isText
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: block.id, name: block.call, input: {}, caller: { type: 'direct' } };
      return [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
    }),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}
