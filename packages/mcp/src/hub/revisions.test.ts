import { describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../testing/clients.fixture.ts';
import { modernHandler } from '../testing/modern-handler.fixture.ts';
import {
  jsonAnswer,
  type RemoteAnswer,
  type ScriptedRemote,
  scriptedRemote,
} from '../testing/scripted-remote.fixture.ts';
import { sessionServer } from '../testing/session-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub, RemoteSettings } from './index.ts';

function makeHub({ fetch }: Pick<ScriptedRemote, 'fetch'>, settings: Partial<RemoteSettings> = {}): Hub {
  const hub = createHub({ servers: { far: { type: 'http', url: 'https://far.test/mcp', ...settings } }, fetch });
  onTestFinished(() => hub.close());
  return hub;
}

async function call(hub: Hub, name: string): Promise<string> {
  await hub.start();
  const tool = hub.snapshot().get(`far/${name}`);
  if (tool === undefined) throw new Error(`no tool: ${JSON.stringify(hub.unavailable())}`);
  return textOf(await hub.call({ tool, arguments: {} }));
}

const discover: RemoteAnswer = (message) =>
  jsonAnswer(message, {
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'half', version: '1' },
      ttlMs: 0,
      cacheScope: 'private',
    },
  });
const listed = { tools: [{ name: 'go', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' };
const gone: RemoteAnswer = (message) => jsonAnswer(message, { result: { content: [{ type: 'text', text: 'gone' }] } });

describe('a server of the newer revision that sends results without resultType', () => {
  it('in lists gets the older revision', async () => {
    const answers = { 'server/discover': discover, 'tools/call': gone };
    const remote = scriptedRemote({ ...answers, 'tools/list': (message) => jsonAnswer(message, { result: listed }) });
    const hub = makeHub(remote);
    expect(await call(hub, 'go')).toBe('gone');
    await until(() => hub.status()[0]?.protocolVersion === '2025-06-18');
    expect(await call(hub, 'go')).toBe('gone');
    expect(remote.asked.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(remote.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
    expect(hub.status()[0]?.noise.last).toContain('lack resultType');
  });

  it('only in calls loses no result, and keeps the newer revision', async () => {
    const answers = { 'server/discover': discover, 'tools/call': gone };
    const list: RemoteAnswer = (message) => jsonAnswer(message, { result: { ...listed, resultType: 'complete' } });
    const remote = scriptedRemote({ ...answers, 'tools/list': list });
    const hub = makeHub(remote);
    expect([await call(hub, 'go'), await call(hub, 'go')]).toEqual(['gone', 'gone']);
    expect(hub.status()[0]?.protocolVersion).toBe('2026-07-28');
    expect(remote.asked).not.toContain('initialize');
  });

  it('keeps the newer revision if it has no older one', async () => {
    const remote = scriptedRemote({
      'server/discover': discover,
      'tools/list': (message) => jsonAnswer(message, { result: listed }),
      'tools/call': gone,
      initialize: (message) => jsonAnswer(message, { error: { code: -32_601, message: 'Method not found' } }),
    });
    const hub = makeHub(remote);
    expect(await call(hub, 'go')).toBe('gone');
    await until(() => remote.asked.includes('initialize') && hub.status()[0]?.state === 'ready');
    expect(hub.status()[0]?.protocolVersion).toBe('2026-07-28');
    expect(await call(hub, 'go')).toBe('gone');
  });
});

describe('a server that the settings hold to a revision', () => {
  it.each([
    ['2026-07-28', '2026-07-28'],
    [undefined, '2026-07-28'],
    ['2025-06-18', '2025-06-18'],
  ] as const)('%s is spoken to in %s', async (protocolVersion, spoken) => {
    const older = sessionServer({ tools: () => ({ one: () => 'one' }) });
    const newer = modernHandler(() => ['one']);
    // Both at one address, as a server has it that speaks both.
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const isNewer = request.headers.get('mcp-protocol-version') === '2026-07-28';
      return isNewer ? newer.fetch(request) : older.fetch(request);
    };
    const hub = makeHub({ fetch }, protocolVersion === undefined ? {} : { protocolVersion });
    expect(await call(hub, 'one')).toBe('one');
    expect(hub.status()[0]?.protocolVersion).toBe(spoken);
  });

  it('that it does not support is reported as unreachable', async () => {
    const older = sessionServer({ tools: () => ({ one: () => 'one' }) });
    const hub = makeHub(older, { protocolVersion: '2026-07-28' });
    await hub.start();
    expect(hub.status()[0]).toMatchObject({ state: 'down', reason: expect.stringContaining('2026-07-28') });
  });
});
