import { describe, expect, it } from 'vitest';
import { createGateway } from '../create-gateway.ts';
import { listeningServer, type TakeOver } from '../mcp/mcp-servers.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { asking, CALL_THEN_TELL, CONTACTS, connected, methodsOf, THIS_MACHINE } from './connector.fixture.ts';

/** Waits for servers longer than a test may take. */
const PATIENT = { ...THIS_MACHINE, connectTimeoutMs: 60_000, callTimeoutMs: 60_000 };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');

/** A server that leaves requests of one method unanswered, from when it is told to. */
function silence(silenced: string, { isOn = true } = {}) {
  const state = { isOn };
  /** One for each request that arrived, settled when it was hung up. */
  const left: Promise<void>[] = [];
  const answer: TakeOver = (request, method) => {
    if (!state.isOn || method !== silenced) return undefined;
    left.push(new Promise((resolve) => request.signal.addEventListener('abort', () => resolve())));
    return new Promise(() => undefined);
  };
  const arrived = async (count: number): Promise<void> => {
    while (left.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { state, left, answer, arrived };
}

describe('a client that goes away', () => {
  it.each([
    ['is being connected to', 'server/discover'],
    ['is to list its tools', 'tools/list'],
  ])('ends what was begun at a server that %s', async (_, method) => {
    const server = silence(method);
    const { anthropic, crm, log, stop } = await connected([], { connector: PATIENT, answer: server.answer });
    const { messages } = anthropic.beta;
    const asks: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => messages.create(asking(crm.url), { signal }),
      (signal) => messages.stream(asking(crm.url) as never, { signal }).finalMessage(),
      (signal) => messages.countTokens(asking(crm.url), { signal }),
    ];
    for (const [index, ask] of asks.entries()) {
      const gone = new AbortController();
      const told = expect(ask(gone.signal)).rejects.toThrow();
      await server.arrived(index + 1);
      gone.abort();
      await told;
      await server.left[index];
    }
    // Waits for everything under way.
    await stop();
    expect(log.map(({ status }) => status)).toEqual([499, 499, 499]);
    // No one has tried again.
    expect(methodsOf(crm).filter((one) => one === method)).toHaveLength(asks.length);
  });

  it.each([
    ['in a stream', true],
    ['whole', false],
  ])('calls off the connecting that a call has begun, %s', async (_, isStream) => {
    const server = silence('server/discover', { isOn: false });
    const { create, anthropic, crm, stop } = await connected([HELLO, ...CALL_THEN_TELL], {
      connector: PATIENT,
      answer: server.answer,
    });
    // Listed now, so that the next request connects no sooner than it calls.
    await create(asking(crm.url));
    server.state.isOn = true;
    const gone = new AbortController();
    const { messages } = anthropic.beta;
    const { signal } = gone;
    const asked = isStream
      ? messages.stream(asking(crm.url) as never, { signal }).finalMessage()
      : messages.create(asking(crm.url), { signal });
    const told = expect(asked).rejects.toThrow();
    await server.arrived(1);
    gone.abort();
    await told;
    await server.left[0];
    await stop();
    expect(methodsOf(crm)).not.toContain('tools/call');
  });

  it('is known by the stream that it gives up, where the request itself tells nothing', async () => {
    const server = silence('server/discover', { isOn: false });
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, ...CALL_THEN_TELL] });
    const crm = await listeningServer(CONTACTS, server.answer);
    const gateway = createGateway({ upstreams, connector: PATIENT, workerUrl: false });
    const ask = async (more: object): Promise<Response> => {
      const body = JSON.stringify({ ...asking(crm.url), ...more });
      return gateway.fetch(new Request('http://127.0.0.1/v1/messages', { method: 'POST', body }));
    };
    expect((await ask({})).status).toBe(200);
    server.state.isOn = true;
    const { body } = await ask({ stream: true });
    const reading = body?.getReader();
    const read = async (): Promise<void> => {
      while ((await reading?.read())?.done === false);
    };
    const all = read();
    await server.arrived(1);
    await reading?.cancel();
    await all;
    await server.left[0];
    await gateway.close();
  });

  it('takes nothing from another one that asks the same server', async () => {
    const server = silence('tools/list');
    const { anthropic, create, crm } = await connected([HELLO], { connector: PATIENT, answer: server.answer });
    const gone = new AbortController();
    const first = expect(anthropic.beta.messages.create(asking(crm.url), { signal: gone.signal })).rejects.toThrow();
    await server.arrived(1);
    server.state.isOn = false;
    const second = create(asking(crm.url));
    gone.abort();
    await first;
    await server.left[0];
    expect(await second).toMatchObject({ stop_reason: 'end_turn' });
  });
});
