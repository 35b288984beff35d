import { expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { ToolServers } from './rate-tools.ts';

const SNAPSHOT = createSnapshot([
  createTool({ name: 'create_issue', description: 'Create an issue', server: 'Git-Hub' }),
  createTool({ name: 'post', description: 'Post a message', server: 'slack' }),
  createTool({ name: 'charge', description: 'Charge a card', server: 'StripeApi_v2' }),
  createTool({ name: 'query', description: 'Run a query', server: 'mcp-server-postgres' }),
  createTool({ name: 'tweet', description: 'Post to a network', server: 'x-api' }),
  createTool({ name: 'any', description: 'Of a server with nothing but a technical name', server: 'mcp-server' }),
  createTool({ name: 'nameless', description: 'Of no server' }),
  createTool({ name: 'dashes', description: 'Of a server without letters', server: '--' }),
]);

it.each([
  ['open a github issue', ['Git-Hub']],
  ['tell Slack and Git Hub', ['Git-Hub', 'slack']],
  ['refund it in Stripe', ['StripeApi_v2']],
  ['how many rows has it in postgres', ['mcp-server-postgres']],
  ['explain the taxes', []],
  ['post with the X API', ['x-api']],
  ['which MCP server is it', ['mcp-server']],
  ['tell everybody', []],
  ['move the MySQL rows to PostgreSQL', []],
  ['用github创建一个问题', ['Git-Hub']],
  ['GitHub’s issues', ['Git-Hub']],
  ['', []],
])('%j names %j', (request, servers) => {
  const tools = Uint32Array.from(SNAPSHOT.tools.keys());
  const named = new ToolServers(SNAPSHOT).findNamed(request, tools, new Float64Array(tools.length));
  expect(SNAPSHOT.tools.flatMap(({ server }, at) => (named[at] === 1 ? [server] : []))).toEqual(servers);
});

it('distinguishes the servers of tools, and weighs the server', () => {
  const tools = ['a', 'b', 'c', 'd'].map((name) => createTool({ name, server: 'large' }));
  const snapshot = createSnapshot([...tools, createTool({ name: 'e', server: 'small' }), createTool({ name: 'f' })]);
  const servers = new ToolServers(snapshot);
  const some = Uint32Array.of(0, 3, 4, 5);
  expect([...servers.numbersOf(some)]).toEqual([0, 0, 1, 2]);
  expect([...servers.closenessOf(some, new Float64Array(4))]).toEqual([0.5, 0.5, 1, 0]);
});
