import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

export interface ReportServer {
  readonly url: string;
  /** The calls that arrived, in order. */
  readonly calls: readonly { readonly tool: string; readonly input: unknown }[];
}

const INPUT = { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] } as const;

/** An MCP server over HTTP with so many tools: `report_00`, `report_01`, and so on. */
export async function reportServer(toolCount: number): Promise<ReportServer> {
  const calls: { tool: string; input: unknown }[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'reports', version: '1.0.0' });
    for (let index = 0; index < toolCount; index += 1) {
      const tool = `report_${String(index).padStart(2, '0')}`;
      const config = { description: `Report number ${index} of a year`, inputSchema: fromJsonSchema(INPUT) };
      server.registerTool(tool, config, (input: unknown) => {
        calls.push({ tool, input });
        return { content: [{ type: 'text', text: `${tool} says 42` }] };
      });
    }
    return server;
  });
  const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls };
}
