import { describe, expect, it } from 'vitest';
import { writeErrorEvent, writeNamedEvent } from '../anthropic/anthropic-dialect.ts';
import type { AnthropicErrorBody, AnthropicEvent } from '../anthropic/index.ts';
import { streamResponse } from './answer-request.ts';

const PING: AnthropicEvent = { type: 'ping' };
const STOP: AnthropicEvent = { type: 'message_stop' };

/** A response whose later events come from `make`; `told` is what a failure is explained with. */
async function respond(make: () => AsyncGenerator<AnthropicEvent>, told?: AnthropicErrorBody): Promise<Response> {
  const events = make();
  const headers = new Headers({ 'request-id': 'req_1' });
  const explain = async () => (told === undefined ? undefined : writeErrorEvent(told));
  const endpoint = { writePart: writeNamedEvent, streamEnd: '' };
  return streamResponse(endpoint, { first: await events.next(), rest: events, headers, explain });
}

async function* failing(): AsyncGenerator<AnthropicEvent> {
  yield PING;
  throw new Error('Broken');
}

describe('streamResponse', () => {
  it('names every event, and keeps the headers that it is given', async () => {
    const response = await respond(async function* () {
      yield PING;
      yield STOP;
    });
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toBe(
      'event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    );
  });

  it('ends with an error event when the failure can be explained', async () => {
    const response = await respond(failing, { type: 'overloaded_error', message: 'Busy' });
    expect(await response.text()).toContain(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
    );
  });

  it('breaks off when it can’t', async () => {
    await expect((await respond(failing)).text()).rejects.toThrow('Broken');
  });

  it('stops the events when the reader stops', async () => {
    let isStopped = false;
    const response = await respond(async function* () {
      try {
        for (;;) yield PING;
      } finally {
        isStopped = true;
      }
    });
    await response.body?.cancel();
    expect(isStopped).toBe(true);
  });
});
