import { expect, it } from 'vitest';
import { createMemorySessionStore, createSdkMcpServer, type Options, query, tool } from './index.ts';

const { latest: _, ...withoutLatest } = createMemorySessionStore();

it.each<[string, object, string]>([
  ['a form', { form: 'bridg' }, 'form is "bridg"; allowed: auto, stub, bridge, load, native, hosted'],
  ['a mode', { permissionMode: 'yolo' }, 'permissionMode is "yolo"; allowed: default, acceptEdits'],
  ['turns', { maxTurns: 0 }, 'maxTurns is 0; allowed: a whole number from 1'],
  ['tokens of a response', { maxOutputTokens: 'many' }, 'maxOutputTokens is "many"'],
  ['a window', { contextTokens: -1 }, 'contextTokens is -1'],
  ['a wait', { startWaitMs: -1 }, 'startWaitMs is -1; allowed: a whole number from 0'],
  ['a variable', { env: { ENABLE_TOOL_SEARCH: 'auto:x' } }, 'auto:x'],
  ['a threshold', { capabilities: ['tool_search'], toolSearchThreshold: 1.5 }, 'toolSearchThreshold is 1.5'],
  ['pins', { pins: 'files/*' }, 'pins is "files/*"'],
  ['a rule', { allowedTools: ['send_mail'] }, 'allowedTools names "send_mail"'],
  ['a built-in tool', { tools: ['Browse'] }, 'tools names "Browse"'],
  ['a hook', { hooks: { PreToolUses: [] } }, 'Unknown hook "PreToolUses"'],
  ['an output format', { outputFormat: { type: 'text' } }, 'outputFormat is not'],
  ['a budget without prices', { maxBudgetUsd: 1 }, 'nothing says what tokens cost'],
  ['a subagent', { agents: { helper: { description: 'Helps.' } } }, 'agents.helper.prompt is missing'],
  ['two sessions', { continue: true, resume: 'x' }, 'options.continue and options.resume are both given'],
  ['a store without a latest session', { continue: true, sessions: withoutLatest }, 'has no latest()'],
  ['servers as a list', { mcpServers: [] }, 'mcpServers is not an object'],
  ['a server that is none', { mcpServers: { a: { comand: 'npx' } } }, 'mcpServers.a has neither command nor url'],
  ['a server of two kinds', { mcpServers: { a: { command: 'x', url: 'http://x' } } }, 'has both command and url'],
  [
    'a field of a server',
    { mcpServers: { a: { command: 'npx', arguments: [] } } },
    'mcpServers.a: unknown option "arguments"; allowed: allow, alwaysLoad, args',
  ],
  ['a time of a server', { mcpServers: { a: { command: 'npx', timeout: 0 } } }, 'mcpServers.a.timeout is 0'],
  [
    'permissions of a server',
    { mcpServers: { a: { command: 'npx', tools: [{ name: 'x' }] } } },
    'mcpServers.a.tools is not supported. Use `allowedTools`',
  ],
  ['a rule that is no list', { allowedTools: 'Read' }, 'allowedTools is "Read"; allowed: a list of texts'],
  ['built-in tools by one name', { tools: 'Read' }, 'tools is neither a list of names nor'],
  [
    'a folder that is not there',
    { tools: ['Read'], additionalDirectories: ['./no-such-folder'] },
    'additionalDirectories names',
  ],
  [
    'a field of a price',
    { prices: { 'claude-*': { input: 1, output: 2, cache: 1 } } },
    'prices["claude-*"]: unknown option "cache"; allowed: cacheRead, cacheWrite, input, output',
  ],
  [
    'a field of an output format',
    { outputFormat: { type: 'json_schema', schema: {}, strict: true } },
    'outputFormat: unknown option "strict"; allowed: schema, type',
  ],
  [
    'a field of a hook',
    { hooks: { Stop: [{ hook: [] }] } },
    'hooks.Stop: unknown option "hook"; allowed: hooks, matcher, timeout',
  ],
  ['a hook that is no function', { hooks: { Stop: [{ hooks: ['say'] }] } }, 'whose hooks are not a list of functions'],
  ['hooks that are no list', { hooks: { Stop: () => ({}) } }, 'hooks.Stop is not a list'],
  [
    'a field of signIn',
    { signIn: { url: 'x' } },
    'signIn: unknown option "url"; allowed: authorize, redirectUrl, tokens',
  ],
  [
    'a field of an upstream',
    { upstream: { provider: 'openai', baseURL: 'http://x' } },
    'upstream: unknown option "baseURL"; allowed: apiKey, baseUrl, contextTokens, headers, images, provider, references',
  ],
  ['an upstream of another dialect', { upstream: { dialect: 'gemini', stream() {} } }, 'upstream.dialect is "gemini"'],
  ['half an upstream', { upstream: { dialect: 'anthropic', stream() {} } }, 'upstream.whole is missing'],
])('query() refuses %s before anything is asked of it', (_what, options, message) => {
  expect(() => query({ prompt: 'x', options: options as Options })).toThrow(message);
});

it.each<[object, string]>([
  [{ prompt: 'x', model: 'claude-opus-4-7' }, 'query: unknown option "model"; allowed: options, prompt'],
  [{}, 'prompt is undefined; allowed: a string, or an async iterable of messages'],
  [{ prompt: [{ type: 'user' }] }, 'prompt is a list; allowed'],
])('query(%j) is refused at once', (parameters, message) => {
  expect(() => query(parameters as never)).toThrow(message);
});

it('a server in this process refuses options that it does not have', () => {
  expect(() => createSdkMcpServer({ name: 'x', tool: [] } as never)).toThrow(
    'createSdkMcpServer: unknown option "tool"; allowed: alwaysLoad, name, timeout, tools, version',
  );
  expect(() => createSdkMcpServer({ name: 'x', instructions: 'Be kind.' } as never)).toThrow(
    'createSdkMcpServer.instructions is not supported. Put them into `systemPrompt`.',
  );
  expect(() => tool('x', 'X', {}, async () => ({ content: [] }), { policies: 'never' } as never)).toThrow(
    'tool "x": unknown option "policies"',
  );
});
