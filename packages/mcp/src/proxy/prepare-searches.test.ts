import { createBm25Searcher, type Snapshot } from '@quartermaster/core';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createHub } from '../hub/index.ts';
import { connectClient, createClient } from '../testing/clients.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createProxy, type ProxyOptions } from './create-proxy.ts';

const DEFERRING = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' as const } };

/** A proxy in front of one server, whose searchers note their preparations, and a client of it. */
async function serving(options: Partial<ProxyOptions> = {}) {
  const prepared: Snapshot[] = [];
  const mail = smallServer(() => ({ send_mail: 'Send a mail', read_mail: 'Read a mail' }));
  const hub = createHub({ servers: { mail } });
  const proxy = createProxy({
    hub,
    settings: DEFERRING,
    searcher: (snapshot) => ({
      ...createBm25Searcher(snapshot),
      engine: 'hybrid',
      async prepare() {
        prepared.push(snapshot);
      },
    }),
    ...options,
  });
  onTestFinished(async () => {
    await proxy.close();
    await hub.close();
  });
  const client = createClient('v2');
  await connectClient(proxy, client);
  return { hub, mail, client, prepared };
}

describe('what searches will need', () => {
  it('is built when a client lists the tools, once for the same catalog', async () => {
    const { hub, client, prepared } = await serving();
    await client.listTools();
    await client.listTools();
    await until(() => prepared.length > 0);
    await client.listTools();
    await client.ping();
    expect(prepared).toEqual([hub.snapshot()]);
  });

  it('is built for the new tools when the catalog changes, before they are listed', async () => {
    const { hub, mail, client, prepared } = await serving();
    await client.listTools();
    await until(() => prepared.length === 1);
    const inputSchema = z.object({});
    mail.instances[0]?.registerTool('delete_mail', { description: 'Delete a mail', inputSchema }, () => ({
      content: [],
    }));
    await until(() => prepared.length === 2);
    expect(prepared[1]?.resolve('mail__delete_mail')).toBeDefined();
    expect(prepared[1]).toBe(hub.snapshot());
  });

  it('is not built if nothing is deferred', async () => {
    const { client, prepared } = await serving({ form: 'inline' });
    await client.listTools();
    await client.callTool({ name: 'mail__read_mail', arguments: {} });
    expect(prepared).toEqual([]);
  });
});
