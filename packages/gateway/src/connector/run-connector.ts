import type { Tool } from '@quartermaster/core';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicRequest,
  UpstreamEventError,
} from '@quartermaster/wires/anthropic';
import { createConnectorResponse } from './connector-response.ts';
import { hearRound } from './hear-round.ts';
import type { CallResult } from './write-result.ts';

export interface ConnectorRun {
  /** The client's request, as it came. */
  readonly request: AnthropicRequest;
  /** The first round, already opened. */
  readonly first: AsyncIterable<AnthropicEvent>;
  /** Asks again, with what the client was sent since. */
  readonly next: (request: AnthropicRequest) => Promise<AsyncIterable<AnthropicEvent>>;
  /** Blocks that stand before everything that the model says. */
  readonly opening: readonly AnthropicBlock[];
  resolve(modelName: string): Tool | undefined;
  call(tool: Tool, input: unknown): Promise<CallResult>;
  /** How many times the model is asked, at least 1. */
  readonly maxRounds: number;
}

interface RunningCall {
  readonly id: string;
  readonly result: Promise<CallResult>;
}

/**
 * Answers a model's calls to servers inside one response: forwards what is the client's, runs what is a server's, and asks the
 * model again until it calls no server, or the client has calls to answer. It stands before the search loop as a client would,
 * so that searches and calls mix as they do for one.
 */
export async function* runConnector(run: ConnectorRun): AsyncGenerator<AnthropicEvent, void, undefined> {
  const response = createConnectorResponse(run.request, run.opening);
  let parts = run.first;
  for (let round = 1; ; round += 1) {
    const running: RunningCall[] = [];
    let hasClientCall = false;
    for await (const heard of hearRound(parts, run.resolve)) {
      switch (heard.kind) {
        case 'event':
          if (heard.event.type === 'error') throw new UpstreamEventError(heard.event.error);
          yield* response.forward(heard.event);
          break;
        case 'client-call':
          hasClientCall = true;
          break;
        case 'call': {
          const { id, events } = response.showCall(heard.call);
          running.push({ id, result: start(run, heard.call) });
          yield* events;
          break;
        }
      }
    }
    // All of them after all calls, so that a replay can tell parallel from sequential.
    for (const { id, result } of running) yield* response.showResult(id, await result);

    const reason = response.endRound();
    const isOver = running.length === 0 || hasClientCall || (reason !== null && CUT_REASONS.has(reason));
    if (isOver || round >= run.maxRounds) {
      yield* response.finish(isOver ? reason : 'pause_turn');
      return;
    }
    yield { type: 'ping' };
    parts = await run.next(relax(response.extended()));
  }
}

/** The upstream stopped the model short: there is nothing to go on with. */
export const CUT_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/** At once, while the model goes on. A failure is kept until it is asked for: an upstream that fails first must not leave it unhandled. */
function start({ call }: ConnectorRun, { tool, input }: { readonly tool: Tool; readonly input: unknown }) {
  const result = call(tool, input);
  result.catch(() => undefined);
  return result;
}

/** A call that was forced has been made: what comes next is the model's choice. */
function relax(request: AnthropicRequest): AnthropicRequest {
  const { tool_choice: choice } = request;
  if (choice === undefined || (choice.type !== 'tool' && choice.type !== 'any')) return request;
  const { name: _, ...rest } = choice;
  return { ...request, tool_choice: { ...rest, type: 'auto' } };
}
