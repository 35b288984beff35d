import type Anthropic from '@anthropic-ai/sdk';
import type { GatewayOptions } from '../gateway-options.ts';
import { type ListeningMcpServer, listeningServer, type TakeOver, type TestTools } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { type Block, message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { ASK } from '../weather-request.fixture.ts';

export type Beta = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;

export const CONTACTS: TestTools = {
  search_contacts: {
    description: 'Search contacts by name',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: (input) => `Found ${(input as { name: string }).name}`,
  },
  delete_contact: { description: 'Delete a contact' },
};
export const CLOCK_TOOL = { name: 'now', input_schema: { type: 'object' as const } };
export const THIS_MACHINE = { allow: ['http://127.0.0.1:*'] };
export const SEARCH_CALL: Block = { call: 'crm_search_contacts', id: 'toolu_c', input: { name: 'Ada' } };
export const CALL_THEN_TELL = [
  message([{ text: 'Let me look.' }, SEARCH_CALL], 'tool_use'),
  message([{ text: 'There she is.' }], 'end_turn'),
];

export function serverAt(url: string, more: object = {}): NonNullable<Beta['mcp_servers']>[number] {
  return { type: 'url', name: 'crm', url, ...more };
}

export function toolset(more: object = {}): NonNullable<Beta['tools']>[number] {
  return { type: 'mcp_toolset', mcp_server_name: 'crm', ...more };
}

export function asking(url: string, more: Partial<Beta> = {}): Beta {
  return { ...ASK, mcp_servers: [serverAt(url)], tools: [toolset()], ...more } as Beta;
}

export async function connected(
  rounds: readonly ReturnType<typeof message>[],
  { transport = 'openai-chat', tools = CONTACTS, answer, ...options }: Partial<GatewayOptions> & Setup = {},
) {
  const upstreams = scriptedUpstreams({ anthropic: rounds }, { transport });
  const crm = await listeningServer(tools, answer);
  const gateway = await runningGateway({ upstreams, connector: THIS_MACHINE, ...options });
  return { ...gateway, upstreams, crm, create: (body: Beta) => gateway.anthropic.beta.messages.create(body) };
}

interface Setup {
  readonly transport?: string;
  readonly tools?: TestTools;
  readonly answer?: TakeOver;
}

export const typesOf = ({ content }: { content: readonly { type: string }[] }) => content.map(({ type }) => type);
export const methodsOf = ({ requests }: ListeningMcpServer) => requests.map(({ method }) => method);

/** Waits for what a server is told behind a response's back. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
