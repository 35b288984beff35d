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
  [
    'a type of a remote server',
    { mcpServers: { a: { type: 'zzz', url: 'http://x' } } },
    'mcpServers.a.type is "zzz"; allowed: http, streamable-http, sse',
  ],
  [
    'a type of a process',
    { mcpServers: { a: { type: 'http', command: 'npx' } } },
    'mcpServers.a.type is "http"; allowed: stdio',
  ],
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
  ['a rule that is no list', { allowedTools: 'Read' }, 'allowedTools is "Read"; allowed: a list of strings'],
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
  ['a signal for a controller', { abortController: {} }, 'abortController is {}; allowed: an AbortController'],
  ['a list of subagents', { agents: [] }, 'agents is []; allowed: an object'],
  ['a model of a subagent', { agents: { a: { description: 'A', prompt: 'B', model: 5 } } }, 'agents.a.model is not'],
  ['a permission callback', { canUseTool: 'ask' }, 'canUseTool is "ask"; allowed: a function'],
  ['one capability', { capabilities: 'tool_search' }, 'capabilities is "tool_search"; allowed: a list of strings'],
  ['a switch', { persistSession: 'no' }, 'persistSession is "no"; allowed: true or false'],
  ['a cost function', { costOf: 5 }, 'costOf is 5; allowed: a function'],
  ['a folder', { cwd: 5 }, 'cwd is 5; allowed: a string'],
  ['variables', { env: { ENABLE_TOOL_SEARCH: true } }, 'env.ENABLE_TOOL_SEARCH is true; allowed: a string'],
  ['hooks', { hooks: 5 }, 'hooks is 5; allowed: an object'],
  ['a matcher', { hooks: { Stop: [{ matcher: 5, hooks: [] }] } }, 'hooks.Stop has the matcher 5'],
  ['a model', { model: {} }, 'model is {}; allowed: a string'],
  ['policies', { policies: { server: {} } }, 'policies: unknown option "server"; allowed: patterns, servers, tools'],
  [
    'a policy',
    { policies: { servers: { files: 'allways' } } },
    'policies.servers["files"] is "allways"; allowed: never, automatic, always',
  ],
  ['prices', { prices: 5 }, 'prices is 5; allowed: an object'],
  ['a session', { resume: 5 }, 'resume is 5; allowed: a string'],
  ['a searcher', { searcher: {} }, 'searcher is {}; allowed: a searcher, or a function that makes one'],
  ['a store', { sessions: {} }, 'sessions is {}; allowed: an object with read and append'],
  ['a system prompt', { systemPrompt: { type: 'preset', preset: 'x' } }, 'allowed: a string, a list of strings, or'],
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
