import { expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';
import { NamedServers } from './named-servers.ts';

const SNAPSHOT = createSnapshot([
  createTool({ name: 'create_issue', description: 'Create an issue', server: 'Git-Hub' }),
  createTool({ name: 'post', description: 'Post a message', server: 'slack' }),
  createTool({ name: 'nameless', description: 'Of no server' }),
  createTool({ name: 'dashes', description: 'Of a server without letters', server: '--' }),
]);

it.each([
  ['open a github issue', ['Git-Hub']],
  ['tell Slack and Git Hub', ['Git-Hub', 'slack']],
  ['tell everybody', []],
  ['', []],
])('%j names %j', (request, servers) => {
  const tools = Uint32Array.from(SNAPSHOT.tools.keys());
  const named = new NamedServers(SNAPSHOT).find(nameKey(request), tools, new Float64Array(tools.length));
  expect(SNAPSHOT.tools.flatMap(({ server }, at) => (named[at] === 1 ? [server] : []))).toEqual(servers);
});
