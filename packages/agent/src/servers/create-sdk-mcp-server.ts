import { McpServer } from '@modelcontextprotocol/server';
import { type Policy, parsePolicy } from '@quartermaster/core/catalog';
import { checkOptionNames, defined, readWholeNumber } from '@quartermaster/core/internal';
import type { ServerOptions } from '@quartermaster/mcp';
import { z } from 'zod';
import { checkRows, SDK_SERVER_ROWS } from '../contract/index.ts';
import type { SdkMcpToolDefinition } from './tool.ts';

/** Options of `createSdkMcpServer`. */
export interface SdkMcpServerOptions {
  readonly name: string;
  /** @default 1.0.0 */
  readonly version?: string;
  readonly tools?: readonly SdkMcpToolDefinition[];
  /** The default for its tools: `true` always sends them in full. @default false */
  readonly alwaysLoad?: boolean;
  /** Time limit of a call, in milliseconds. @default MCP_TOOL_TIMEOUT, else 5 minutes */
  readonly timeout?: number;
}

/** A server in this process, as an entry of `mcpServers`. It may have every field that other entries have. */
export interface McpSdkServerConfigWithInstance extends ServerOptions {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: McpServer;
  /** Makes an equal server for one more connection: an instance holds one at a time, and queries may run in parallel. */
  readonly create: () => McpServer;
  /** The policies of tools that have one, by name. Kept apart from the server, because MCP has a mark for `never` only. */
  readonly toolPolicies: Readonly<Record<string, Policy>>;
}

/** An MCP server in this process, made from tools. Throws a `SettingError` for an option that has no effect here. */
export function createSdkMcpServer(options: SdkMcpServerOptions): McpSdkServerConfigWithInstance {
  checkRows(SDK_SERVER_ROWS, 'createSdkMcpServer', options);
  checkOptionNames('createSdkMcpServer', options, 'name version tools alwaysLoad timeout');
  const { alwaysLoad = false, timeout } = options;
  if (timeout !== undefined) readWholeNumber('timeout', timeout);
  const create = (): McpServer => buildServer(options);
  const policies = (options.tools ?? []).flatMap((tool) =>
    policyOf({ ...tool, alwaysLoad: alwaysLoad || tool.alwaysLoad === true }).map(
      (policy) => [tool.name, policy] as const,
    ),
  );
  return {
    type: 'sdk',
    name: options.name,
    instance: create(),
    create,
    toolPolicies: Object.fromEntries(policies),
    ...defined({ callTimeoutMs: timeout }),
  };
}

function buildServer({ name, version = '1.0.0', tools = [] }: SdkMcpServerOptions): McpServer {
  const server = new McpServer({ name, version });
  for (const { name: toolName, description, inputSchema, annotations, searchHint, handler } of tools) {
    server.registerTool(
      toolName,
      {
        description,
        inputSchema: z.object(inputSchema),
        ...defined({ annotations }),
        ...(searchHint === undefined ? {} : { _meta: { 'anthropic/searchHint': searchHint } }),
      },
      (args, context) => handler(args, context),
    );
  }
  return server;
}

function policyOf({ name, policy, alwaysLoad }: SdkMcpToolDefinition): readonly Policy[] {
  if (policy !== undefined) return [parsePolicy(policy, `tool ${JSON.stringify(name)}`)];
  return alwaysLoad === true ? ['never'] : [];
}
