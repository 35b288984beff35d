import type { Client } from '@modelcontextprotocol/client';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { createHub, type Hub } from '../hub/index.ts';
import { type ClientLine, connectClient, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { realServer } from '../testing/real-servers.fixture.ts';
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

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

/** A client in front of the server that has everything, its own and only one. */
async function connectEverything(
  line: ClientLine,
  options: { capabilities?: object; handle?: (client: Client) => void } = {},
): Promise<Client> {
  const hub = createHub({ servers: { all: realServer('everything') } });
  const proxy = createProxy({ hub, waits: PATIENT, form: 'inline' });
  open.push({ hub, proxy });
  const client = createClient(line, options.capabilities ?? {});
  options.handle?.(client);
  await connectClient(proxy, client, { isSole: true });
  return client;
}

/** Handlers are registered differently by the two lines. */
function onRequest(client: Client, method: string, schema: object, answer: (params: unknown) => object): void {
  const loose = client as unknown as {
    setRequestHandler(key: unknown, handler: (request: { params: unknown }) => Promise<object>): void;
  };
  const isV1 = !('getProtocolEra' in client);
  loose.setRequestHandler(isV1 ? schema : method, async (request) => answer(request.params));
}

function onNotification(client: Client, method: string, schema: object, hear: (params: never) => void): void {
  const loose = client as unknown as {
    setNotificationHandler(key: unknown, handler: (note: { params: never }) => void): void;
  };
  const isV1 = !('getProtocolEra' in client);
  loose.setNotificationHandler(isV1 ? schema : method, (note) => hear(note.params));
}

async function listNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

describe.each<ClientLine>(['v1', 'v2'])('a %s client in front of a server that has everything', (line) => {
  it('is asked what the server asks, and its answers go back', async () => {
    const asked: unknown[] = [];
    const client = await connectEverything(line, {
      capabilities: CAPABILITIES,
      handle: (one) => {
        onRequest(one, 'elicitation/create', ElicitRequestSchema, (params) => {
          asked.push(params);
          return { action: 'accept', content: { name: 'Ada', check: true } };
        });
        onRequest(one, 'sampling/createMessage', CreateMessageRequestSchema, (params) => {
          asked.push(params);
          return { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } };
        });
        onRequest(one, 'roots/list', ListRootsRequestSchema, () => ({
          roots: [{ uri: 'file:///here', name: 'Here' }],
        }));
      },
    });
    await until(() => open[0]?.hub.snapshot().get('all/get-roots-list') !== undefined);
    expect(await listNames(client)).toEqual(
      expect.arrayContaining([
        'all__trigger-elicitation-request',
        'all__trigger-sampling-request',
        'all__get-roots-list',
      ]),
    );
    const elicited = await client.callTool({ name: 'all__trigger-elicitation-request', arguments: {} });
    expect(JSON.stringify(elicited)).toContain('Ada');
    const sampled = await client.callTool({ name: 'all__trigger-sampling-request', arguments: { prompt: 'Hi' } });
    expect(JSON.stringify(sampled)).toContain('sampled');
    expect(textOf(await client.callTool({ name: 'all__get-roots-list', arguments: {} }))).toContain('file:///here');
    expect(asked).toMatchObject([
      { message: expect.stringContaining('Please provide'), requestedSchema: { type: 'object' } },
      { messages: [{ role: 'user' }] },
    ]);
  });

  it('that does not support questions gets none: the server gets an error', async () => {
    const client = await connectEverything(line);
    const names = await listNames(client);
    expect(names).toContain('all__echo');
    expect(names.filter((name) => /elicitation|sampling|roots/.test(name))).toEqual([]);
  });

  it('sees progress, and can cancel', async () => {
    const client = await connectEverything(line);
    const seen: number[] = [];
    const arguments_ = { duration: 0.05, steps: 2 };
    const call = { name: 'all__trigger-long-running-operation', arguments: arguments_ };
    const onprogress = ({ progress }: { progress: number }): void => {
      seen.push(progress);
    };
    const done = await call2(client, call, { onprogress });
    expect(textOf(done)).toContain('completed');
    expect(seen).toEqual([1, 2]);

    const controller = new AbortController();
    const long = { ...call, arguments: { duration: 60, steps: 600 } };
    const cancelled = call2(client, long, { signal: controller.signal, onprogress: () => controller.abort('enough') });
    await expect(cancelled).rejects.toThrow('enough');
  });

  it('gets images, structured content, annotations and embedded resources as they are', async () => {
    const client = await connectEverything(line);
    const { tools } = await client.listTools();
    const structured = tools.find((tool) => tool.name === 'all__get-structured-content');
    expect(structured).toMatchObject({ outputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
    const image = await client.callTool({ name: 'all__get-tiny-image', arguments: {} });
    expect(image.content).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
    );
    const weather = await client.callTool({ name: 'all__get-structured-content', arguments: { location: 'Chicago' } });
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    const note = await client.callTool({ name: 'all__get-annotated-message', arguments: { messageType: 'error' } });
    expect(note.content).toMatchObject([{ annotations: { priority: 1 } }]);
    const embedded = await client.callTool({ name: 'all__get-resource-reference', arguments: { resourceId: 1 } });
    expect(embedded.content).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'resource' })]));
  });

  it('reads resources, gets prompts and completes arguments', async () => {
    const client = await connectEverything(line);
    const { resources } = await client.listResources();
    const [resource] = resources;
    const read = await client.readResource({ uri: resource?.uri ?? '' });
    expect(read.contents[0]?.uri).toBe(resource?.uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.length).toBeGreaterThan(0);
    const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
    expect(dynamic.contents[0]?.uri).toBe('demo://resource/dynamic/text/1');
    await expect(client.readResource({ uri: 'demo://nothing/at/all' })).rejects.toThrow();

    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.name)).toEqual(
      expect.arrayContaining(['all__simple-prompt', 'all__args-prompt', 'all__completable-prompt']),
    );
    const prompt = await client.getPrompt({ name: 'all__args-prompt', arguments: { city: 'Paris' } });
    expect(JSON.stringify(prompt.messages)).toContain('Paris');
    await expect(client.getPrompt({ name: 'all__none' })).rejects.toThrow('There is no prompt "all__none"');
    const completion = await client.complete({
      ref: { type: 'ref/prompt', name: 'all__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.completion.values).toEqual(['Engineering']);
  });

  it('hears log messages at the level that it set, and updates of resources that it subscribed to', async () => {
    const logged: { level: string }[] = [];
    const updated: { uri: string }[] = [];
    const client = await connectEverything(line, {
      handle: (one) => {
        onNotification(one, 'notifications/message', LoggingMessageNotificationSchema, (params) => logged.push(params));
        onNotification(one, 'notifications/resources/updated', ResourceUpdatedNotificationSchema, (params) =>
          updated.push(params),
        );
      },
    });
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'all__toggle-simulated-logging', arguments: {} });
    await until(() => logged.length > 0);
    expect(logged[0]).toMatchObject({ level: expect.any(String), logger: expect.any(String) });
    const uri = 'demo://resource/dynamic/text/1';
    await client.subscribeResource({ uri });
    await client.callTool({ name: 'all__toggle-subscriber-updates', arguments: {} });
    await until(() => updated.length > 0);
    expect(updated[0]?.uri).toBe(uri);
  });
});

type CallOptions = Parameters<Client['callTool']>[1];

/** The older line has a schema between the two. */
function call2(
  client: Client,
  params: Parameters<Client['callTool']>[0],
  options: CallOptions,
): ReturnType<Client['callTool']> {
  if ('getProtocolEra' in client) return client.callTool(params, options);
  const old = client as unknown as { callTool(...args: unknown[]): ReturnType<Client['callTool']> };
  return old.callTool(params, undefined, options);
}
