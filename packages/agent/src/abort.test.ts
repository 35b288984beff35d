import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scripted } from '@quartermaster/host/upstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  AbortError,
  createSdkMcpServer,
  type McpServerConfig,
  type Options,
  type Query,
  query,
  type SDKUserMessage,
  tool,
} from './index.ts';
import { collect, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { realServer } from './testing/real-servers.fixture.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'abort-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that writes down its id and then is the memory server. */
function watched(): McpServerConfig {
  const server = realServer('memory') as { readonly args: readonly string[] };
  const code = `require('node:fs').writeFileSync(${JSON.stringify(pidFile())}, String(process.pid)); import(${JSON.stringify(server.args[0])});`;
  return { command: process.execPath, args: ['-e', code], env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
}

function pidFile(): string {
  return join(folder, 'pid');
}

async function isAlive(): Promise<boolean> {
  const pid = Number(await readFile(pidFile(), 'utf8'));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A server with one tool that never answers, and tells when it was called. */
function hanging(): { readonly server: McpServerConfig; readonly called: Promise<void> } {
  let tell: () => void = () => {};
  const called = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const hang = tool('hang', 'Never answers.', { text: z.string().optional() }, () => {
    tell();
    return new Promise(() => {});
  });
  return { server: createSdkMcpServer({ name: 'slow', tools: [hang] }), called };
}

function options(more: Options = {}): Options & { readonly abortController: AbortController } {
  const upstream = scripted({
    dialect: 'anthropic',
    turns: [{ calls: [{ name: 'mcp__slow__hang' }] }, { text: 'Done.' }],
  });
  const given = { upstream, allowedTools: ['*'], persistSession: false, startWaitMs: 30_000 };
  return { ...given, ...more, abortController: new AbortController() };
}

describe('abortController', () => {
  it('ends the generator with an AbortError and the servers’ processes, in the middle of a call', async () => {
    const { server, called } = hanging();
    const given = options({ mcpServers: { slow: server, memory: watched() } });
    const running = collect(query({ prompt: 'Do it', options: given }));
    await called;
    expect(await isAlive()).toBe(true);
    given.abortController.abort();
    await expect(running).rejects.toBeInstanceOf(AbortError);
    expect(await isAlive()).toBe(false);
  });

  it('ends a query that waits for its model', async () => {
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const upstream = {
      ...scripted({ dialect: 'anthropic', turns: [] }),
      async *stream() {
        asked();
        await new Promise(() => {});
      },
    };
    const given = options({ upstream });
    const running = collect(query({ prompt: 'Do it', options: given }));
    await isAsked;
    given.abortController.abort();
    await expect(running).rejects.toBeInstanceOf(AbortError);
  });

  it('ends one that waits for a prompt', async () => {
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const given = options();
    const messages = query({ prompt: never as AsyncIterable<SDKUserMessage>, options: given });
    await messages.next();
    const next = messages.next();
    given.abortController.abort();
    await expect(next).rejects.toBeInstanceOf(AbortError);
  });

  it('ends one that waits for a person', async () => {
    const { server } = hanging();
    const given: ReturnType<typeof options> = options({
      mcpServers: { slow: server },
      allowedTools: [],
      canUseTool: () => {
        given.abortController.abort();
        return new Promise(() => {});
      },
    });
    await expect(collect(query({ prompt: 'Do it', options: given }))).rejects.toBeInstanceOf(AbortError);
  });

  it('ends one that waits for a server', async () => {
    const silent = createServer(() => given.abortController.abort()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const given = options({ mcpServers: { silent: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } } });
    await expect(collect(query({ prompt: 'Do it', options: given }))).rejects.toBeInstanceOf(AbortError);
    silent.closeAllConnections();
    silent.close();
  });

  it('ends one that waits for a server in this process that is never made', async () => {
    const never: McpServerConfig = {
      type: 'in-process',
      create() {
        given.abortController.abort();
        return new Promise(() => {});
      },
    };
    const given = options({ mcpServers: { never } });
    await expect(collect(query({ prompt: 'Do it', options: given }))).rejects.toBeInstanceOf(AbortError);
  });

  it('that is aborted already starts nothing', async () => {
    const given = options({ mcpServers: { memory: watched() } });
    given.abortController.abort();
    await expect(collect(query({ prompt: 'Do it', options: given }))).rejects.toBeInstanceOf(AbortError);
    await expect(isAlive()).rejects.toThrow('ENOENT');
  });
});

describe('leaving', () => {
  it('the loop ends the servers', async () => {
    for await (const message of query({ prompt: 'Do it', options: options({ mcpServers: { memory: watched() } }) })) {
      expect(message.type).toBe('system');
      expect(await isAlive()).toBe(true);
      break;
    }
    expect(await isAlive()).toBe(false);
  });

  it('with close ends a step that is waiting, without an error', async () => {
    const { server, called } = hanging();
    const messages = query({ prompt: 'Do it', options: options({ mcpServers: { slow: server } }) });
    const all = collect(messages);
    await called;
    await messages.close();
    expect((await all).map(({ type }) => type)).toEqual(['system', 'assistant']);
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });
});

describe('interrupt', () => {
  it('ends the turn with a result, and the next prompt is taken', async () => {
    const { server, called } = hanging();
    const messages = query({ prompt: prompts('Hang', 'Go on'), options: options({ mcpServers: { slow: server } }) });
    const all = collect(messages);
    await called;
    await messages.interrupt();
    const got = await all;
    expect(resultsIn(got)).toEqual([{ text: expect.stringContaining('It may have run'), isError: true }]);
    expect(got.filter(({ type }) => type === 'result')).toMatchObject([
      { subtype: 'error_during_execution', errors: ['The turn was interrupted'] },
      { subtype: 'success', result: 'Done.' },
    ]);
    expect(resultOf(got).subtype).toBe('success');
  });

  it('does not count as a denial of a call that the user was asked about', async () => {
    let messages: Query | undefined;
    const canUseTool: Options['canUseTool'] = async () => {
      await messages?.interrupt();
      return new Promise(() => {});
    };
    const asking = options({ mcpServers: { slow: hanging().server }, allowedTools: [], canUseTool });
    messages = query({ prompt: prompts('Ask', 'Go on'), options: asking });
    const results = (await collect(messages)).filter(({ type }) => type === 'result');
    expect(results).toMatchObject([
      { subtype: 'error_during_execution', permission_denials: [] },
      { subtype: 'success', permission_denials: [] },
    ]);
  });
});

async function* prompts(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
  }
}
