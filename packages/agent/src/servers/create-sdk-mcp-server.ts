import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SdkMcpToolDefinition } from './tool.ts';

export interface SdkMcpServerOptions {
  readonly name: string;
  /** @default 1.0.0 */
  readonly version?: string;
  readonly tools?: readonly SdkMcpToolDefinition[];
}

/** A server in this process, as an entry of `mcpServers`. */
export interface McpSdkServerConfigWithInstance {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: McpServer;
  /** Makes a server like it for one more connection: an instance holds one at a time, and queries may run side by side. */
  readonly create: () => McpServer;
}

/** An MCP server in this process, made of tools. */
export function createSdkMcpServer(options: SdkMcpServerOptions): McpSdkServerConfigWithInstance {
  const create = (): McpServer => buildServer(options);
  return { type: 'sdk', name: options.name, instance: create(), create };
}

function buildServer({ name, version = '1.0.0', tools = [] }: SdkMcpServerOptions): McpServer {
  const server = new McpServer({ name, version });
  for (const { name: toolName, description, inputSchema, annotations, handler } of tools) {
    server.registerTool(
      toolName,
      { description, inputSchema: z.object(inputSchema), ...(annotations === undefined ? {} : { annotations }) },
      (args, context) => handler(args, context),
    );
  }
  return server;
}
