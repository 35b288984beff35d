import { createToolbox, QuartermasterError } from '@quartermaster/core';
import { RequestError, UpstreamError } from '@quartermaster/core/errors';
import { describe, expect, it } from 'vitest';
import { chatDialect, openaiChatWire } from '../openai-chat/chat-dialect.ts';
import type { ChatRequest } from '../openai-chat/chat-shapes-2026-11.ts';
import { answerRequest, orRefusal, UpstreamRefusal } from './answer-request.ts';

const REQUEST: ChatRequest = { model: 'some-model', messages: [{ role: 'user', content: 'Hello' }] };
const CHUNK = { id: 'c1', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };
const explain = async (error: unknown) => (error instanceof RangeError ? `data: ${error.message}\n\n` : undefined);

function answer(stream: boolean, ask: () => Response | Promise<Response>): Promise<Response> {
  const toolbox = createToolbox({ tools: [] });
  const loop = { wire: openaiChatWire, toolbox, plan: toolbox.plan(), request: REQUEST };
  return answerRequest({ dialect: chatDialect, explain, loop, stream, ask: async () => ask() });
}

function events(...data: readonly string[]): Response {
  return new Response(data.map((one) => `data: ${one}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream', 'content-encoding': 'identity', 'request-id': 'r1' },
  });
}

describe('answerRequest', () => {
  it('keeps the headers of the host that do not describe its body', async () => {
    const { headers } = await answer(true, () => events(JSON.stringify(CHUNK)));
    expect(Object.fromEntries(headers)).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': 'r1',
    });
  });

  it.each([true, false])('throws what the host refuses, with its status (stream: %s)', async (stream) => {
    const refused = answer(stream, () => new Response('Busy', { status: 529 }));
    await expect(refused).rejects.toThrow(UpstreamRefusal);
    await expect(refused).rejects.toMatchObject({ code: 'refused', context: { status: 529 } });
  });

  it.each([
    ['a whole answer', false, () => new Response('<html>')],
    ['a whole answer to a stream', true, () => new Response('{', { headers: { 'content-type': 'application/json' } })],
    ['the first event of a stream', true, () => events('{')],
  ])('throws that the host has failed when %s is not JSON', async (_, stream, ask) => {
    const failed = answer(stream, ask);
    await expect(failed).rejects.toThrow(UpstreamError);
    await expect(failed).rejects.toMatchObject({ code: 'malformed', cause: expect.any(SyntaxError) });
  });

  it('breaks off a stream whose later event is not JSON', async () => {
    const response = await answer(true, () => events(JSON.stringify(CHUNK), '{'));
    await expect(response.text()).rejects.toThrow('not JSON');
  });

  it('throws that the host has failed when an event does not end', async () => {
    const chunk = new Uint8Array(8 * 1024 * 1024).fill(120);
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(chunk) });
    const failed = answer(true, () => new Response(body));
    await expect(failed).rejects.toThrow(UpstreamError);
    await expect(failed).rejects.toMatchObject({ code: 'malformed' });
  });

  it('ends at the marker of the host, with or without spaces around it', async () => {
    const response = await answer(true, () => events(JSON.stringify(CHUNK), ' [DONE]', '{'));
    expect(await response.text()).toContain('Hi');
  });

  it('passes on a stream that starts with an error that the dialect can express, and throws any other', async () => {
    const fail = (error: Error) => () => Promise.reject(error);
    expect(await (await answer(true, fail(new RangeError('Too far')))).text()).toBe('data: Too far\n\n');
    await expect(answer(true, fail(new TypeError('fetch failed')))).rejects.toThrow('fetch failed');
    await expect(answer(false, fail(new RangeError('Too far')))).rejects.toThrow('Too far');
  });
});

describe('orRefusal', () => {
  const refuse = (error: QuartermasterError) => new Response(error.code, { status: 400 });
  const settle = (error: Error) => orRefusal(() => Promise.reject(error), refuse);

  it('returns a refusal of the host unchanged', async () => {
    const response = new Response('Busy', { status: 529 });
    expect(await settle(new UpstreamRefusal(response))).toBe(response);
  });

  it('refuses in the words of the dialect what can’t be served', async () => {
    expect((await settle(new RequestError('invalid_request', 'No'))).status).toBe(400);
    expect(await (await settle(new QuartermasterError('invalid_tool', 'No'))).text()).toBe('invalid_tool');
  });

  it('throws what is not the client’s doing', async () => {
    await expect(settle(new UpstreamError({ code: 'malformed', message: 'Broken' }))).rejects.toThrow('Broken');
    await expect(settle(new TypeError('fetch failed'))).rejects.toThrow('fetch failed');
  });
});
