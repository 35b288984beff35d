import { describe, expect, it } from 'vitest';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { inProcess, testHub } from './mcp-servers.fixture.ts';

/** `npm run lab -- mcp-clients` has more of these, sends many at once, and watches memory and the event loop. */
const METHODS = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read', 'resources/subscribe'],
  ...['resources/unsubscribe', 'resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete'],
  ...[
    'logging/setLevel',
    'tasks/list',
    'tasks/get',
    'tasks/result',
    'tasks/cancel',
    'server/discover',
    '__proto__',
    '',
  ],
  ...['notifications/cancelled', 'notifications/roots/list_changed', 'notifications/progress', 'elicitation/create'],
];
const PARAMS = [
  ...['null', '1', '"a"', '[1]', '{"name":{"a":1}}', '{"name":"small__echo","arguments":"text"}'],
  ...['{"name":"tool_call","arguments":{"name":7}}', '{"name":"tool_search","arguments":{"query":{},"limit":[]}}'],
  '{"name":"small__echo","_meta":{"progressToken":{}},"arguments":{}}',
  '{"__proto__":{"name":"small__echo"},"constructor":{"prototype":{"polluted":1}}}',
  '{"cursor":{},"uri":[],"ref":null,"argument":1,"taskId":{},"level":[],"requestState":5,"inputResponses":7}',
  '{"cursor":"\\u0000","uri":"file:///etc/passwd","taskId":"../1","level":"","requestState":"x","requestId":null}',
  `{"name":"small__echo","arguments":{"a":${'['.repeat(900)}${']'.repeat(900)}}}`,
];
const BODIES = [
  ...['', '{', 'null', '7', '[]', '[[]]', '[null]', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  ...['{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}', '['.repeat(100_000)],
  '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]',
];
const VERSION = '2025-06-18';
const HELLO = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'hostile', version: '1' } };

async function serving(sessions: boolean) {
  const { post } = await runningGateway({
    upstreams: scriptedUpstreams({}),
    mcp: { hub: testHub({ small: inProcess({ echo: {} }) }), sessions, form: 'bridge' },
  });
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': VERSION };
  const first = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params: HELLO }, accept);
  await first.text();
  const id = first.headers.get('mcp-session-id');
  const headers: Record<string, string> = id === null ? accept : { ...accept, 'mcp-session-id': id };
  return async (body: string): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await post('/mcp', body, headers);
    return { status: response.status, text: await response.text() };
  };
}

describe.each([[false], [true]])('hostile messages with sessions: %s', (sessions) => {
  it('get an answer of the protocol, and leave the server as it was', async () => {
    const send = await serving(sessions);
    const own = /TypeError|RangeError|is not a function|Cannot read|Internal error/;
    const bodies = METHODS.flatMap((method) =>
      PARAMS.map((params) => `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`),
    );
    for (const body of [...bodies, ...BODIES]) {
      const { status, text } = await send(body);
      expect([body, status, own.test(text)]).toEqual([body, expect.toSatisfy((code) => code < 500), false]);
    }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'small__echo', arguments: {} } };
    expect((await send(JSON.stringify(call))).text).toContain('echo {}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
