import { expect, it } from 'vitest';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { isLocal, type McpServerConfig, toServerSettings } from './server-config.ts';

const http: McpServerConfig = { type: 'http', url: 'https://example.com/mcp' };
const stdio: McpServerConfig = { command: 'node' };

it.each<[string, McpServerConfig, Record<string, string>, object]>([
  ['a process is started in the query’s folder', stdio, {}, { command: 'node', cwd: '/work' }],
  ['a process may say where', { ...stdio, cwd: '/tmp' }, {}, { cwd: '/tmp' }],
  ['an address stays as it is', http, {}, http],
  [
    'times come from the environment',
    http,
    { MCP_TIMEOUT: '7', MCP_TOOL_TIMEOUT: '8' },
    { connectTimeoutMs: 7, callTimeoutMs: 8 },
  ],
  [
    'a time that no timer can wait for is the longest',
    http,
    { MCP_TOOL_TIMEOUT: '99999999999' },
    { callTimeoutMs: 2_147_483_647 },
  ],
  ['the agent SDK’s word for the time of a call', { ...http, timeout: 5_000 }, {}, { callTimeoutMs: 5_000 }],
  ['tools that are always loaded', { ...http, alwaysLoad: true }, {}, { policy: 'never' }],
  ['tools that are deferred', { ...http, alwaysLoad: false }, {}, { policy: 'always' }],
  ['a policy is stronger', { ...http, alwaysLoad: true, policy: 'automatic' }, {}, { policy: 'automatic' }],
  ['an entry’s own times are stronger', { ...http, callTimeoutMs: 9 }, { MCP_TOOL_TIMEOUT: '8' }, { callTimeoutMs: 9 }],
])('%s', (_what, config, env, expected) => {
  expect(toServerSettings(config, { cwd: '/work', env })).toMatchObject(expected);
});

it.each([
  ['made here', createSdkMcpServer({ name: 'x' })],
  ['made elsewhere', { type: 'sdk', name: 'x', instance: createSdkMcpServer({ name: 'x' }).instance }],
] as const)('a server in this process that was %s keeps what its entry says', (_where, config) => {
  const said = { policy: 'always', allow: ['a*'], deny: ['ab'], callTimeoutMs: 9, disabled: true } as const;
  const settings = toServerSettings({ ...config, ...said }, { cwd: '/', env: { MCP_TOOL_TIMEOUT: '8' } });
  expect(settings).toMatchObject({ ...said, type: 'in-process', create: expect.any(Function) });
});

it.each(['', 'soon', '-1', '0', '1.5'])('a time of %j in the environment is none', (MCP_TIMEOUT) => {
  expect(toServerSettings(stdio, { cwd: '/work', env: { MCP_TIMEOUT } })).not.toHaveProperty('connectTimeoutMs');
});

it('an in-process server is created again for each connection, if possible', async () => {
  const config = createSdkMcpServer({ name: 'x' });
  const settings = toServerSettings(config, { cwd: '/', env: {} });
  if (settings.type !== 'in-process') throw new Error('It is not in this process');
  expect(await settings.create()).not.toBe(await settings.create());
  const foreign = toServerSettings({ type: 'sdk', name: 'x', instance: config.instance }, { cwd: '/', env: {} });
  if (foreign.type !== 'in-process') throw new Error('It is not in this process');
  expect(await foreign.create()).toBe(config.instance);
});

it.each([
  [stdio, true],
  [createSdkMcpServer({ name: 'x' }), true],
  [http, false],
  [undefined, false],
])('%j is on this machine: %s', (config, expected) => {
  expect(isLocal(config)).toBe(expected);
});
