import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { rehearsal } from '@quartermaster/host/upstream';
import { type AnthropicRequest, writeNamedEvent } from '@quartermaster/wires/anthropic';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';

const home = process.cwd();
let folder = '';

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** The tool that the example is after, among as many others as it takes to pass 5% of the window. */
function enterpriseTools(): McpServer {
  const server = new McpServer({ name: 'enterprise-tools', version: '1.0.0' });
  const inputSchema = z.object({ query: z.string() });
  server.registerTool(
    'run_database_query',
    { description: 'Runs a query on the database.', inputSchema },
    ({ query }) => ({
      content: [{ type: 'text', text: `42 rows for ${query}` }],
    }),
  );
  for (let index = 0; index < 120; index += 1) {
    const description = `Sends invoice number ${index} to the printer. ${'It is printed on paper with a letterhead. '.repeat(8)}`;
    server.registerTool(`print_invoice_${index}`, { description, inputSchema }, () => ({ content: [] }));
  }
  return server;
}

it('the agent SDK’s example runs with only its import changed', async () => {
  folder = await mkdtemp(join(tmpdir(), 'seed-'));
  process.chdir(folder);
  const handler = createMcpHandler(enterpriseTools);
  const asked: { readonly url: string; readonly key: string | null; readonly body: AnthropicRequest }[] = [];
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-test');
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const { hostname, pathname } = new URL(request.url);
    if (hostname === 'tools.example.com') return handler.fetch(request);
    if (hostname !== 'api.anthropic.com') throw new Error(`Nobody is at ${request.url}`);
    const body = (await request.json()) as AnthropicRequest;
    asked.push({ url: pathname, key: request.headers.get('x-api-key'), body });
    const events: string[] = [];
    for await (const event of rehearsal('anthropic').stream(body, request.signal)) events.push(writeNamedEvent(event));
    return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
  });
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});

  await import('./testing/seed-example.fixture.ts');

  expect(log).toHaveBeenCalledTimes(1);
  expect(log.mock.calls[0]?.[0]).toContain('run_database_query answered "42 rows for');
  expect(asked[0]).toMatchObject({ url: '/v1/messages', key: 'sk-test' });
  expect(asked[0]?.body.tools?.map(({ name }) => name)).toEqual(['tool_search']);
  await handler.close();
});
