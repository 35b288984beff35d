import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { createHub, type Hub, type StdioSettings } from '../hub/index.ts';
import { connectClient, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { rawServer } from '../testing/raw-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createProxy } from './create-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';

const open: { hub: Hub; proxy: McpProxy }[] = [];

afterEach(async () => {
  for (const { hub, proxy } of open.splice(0)) {
    await proxy.close();
    await hub.close();
  }
});

interface Connected {
  readonly client: Client;
  readonly clock: ManualClock;
  /** The servers that have answered, one for each request. */
  readonly answered: readonly string[];
}

/** A client in front of a server that never answers some methods and one that does. No time passes but what the test lets pass. */
async function connect(
  silent: readonly string[],
  capabilities: object,
  settings: Partial<StdioSettings> = {},
): Promise<Connected> {
  const clock = manualClock();
  const servers = { silent: rawServer({ capabilities, silent }, settings), fine: rawServer({ capabilities }) };
  const hub = createHub({ servers, clock });
  const answered: string[] = [];
  const noting: Hub = {
    ...hub,
    async request(request) {
      const result = await hub.request(request);
      answered.push(request.server);
      return result;
    },
  };
  const proxy = createProxy({ hub: noting, waits: PATIENT, form: 'inline', clock });
  open.push({ hub, proxy });
  const client = createClient('v2');
  await connectClient(proxy, client, { isSole: true });
  return { client, clock, answered };
}

describe('a server that does not answer', () => {
  it('does not block the lists of others: it has the timeout of a list, not of a call', async () => {
    const { client, clock, answered } = await connect(['prompts/list'], { prompts: {} });
    const listing = client.listPrompts();
    await until(() => answered.includes('fine') && clock.pending.includes(30_000));
    clock.advance(30_000);
    const { prompts, _meta } = await listing;
    expect(prompts.map(({ name }) => name)).toEqual(['fine__hello']);
    expect(_meta?.['quartermaster/incomplete']).toMatchObject([{ server: expect.not.stringMatching('fine') }]);
    expect(clock.pending).toEqual([]);
  });

  it('does not block the lists of others, whatever its timeout for lists', async () => {
    const settings = { listTimeoutMs: 600_000 };
    const { client, clock, answered } = await connect(['resources/list'], { resources: {} }, settings);
    const listing = client.listResources();
    await until(() => answered.includes('fine') && clock.pending.includes(600_000));
    clock.advance(45_000);
    expect((await listing).resources.map(({ uri }) => uri)).toEqual(['raw://listed', 'quartermaster://status']);
  });

  it('is not the only server asked for a resource', async () => {
    const { client, clock } = await connect(['resources/read'], { resources: {} });
    const reading = client.readResource({ uri: 'raw://unlisted' });
    await until(() => clock.pending.includes(2_000));
    clock.advance(2_000);
    expect((await reading).contents).toMatchObject([{ uri: 'raw://unlisted', text: 'read' }]);
  });

  it('is the only server asked for a resource that it has listed', async () => {
    const { client, clock } = await connect(['resources/read'], { resources: {} });
    await client.listResources();
    const caller = new AbortController();
    const reading = client.readResource({ uri: 'raw://listed' }, { signal: caller.signal });
    await until(() => clock.pending.includes(300_000));
    expect(clock.pending).not.toContain(2_000);
    caller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('is still called if it does not answer a log level', async () => {
    const { client } = await connect(['logging/setLevel'], { logging: {} });
    await client.setLoggingLevel('info');
    const line = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"called"}]}}';
    expect(textOf(await client.callTool({ name: 'silent__answer', arguments: { line } }))).toBe('called');
  });
});
