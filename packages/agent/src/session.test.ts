import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@quartermaster/host/store';
import { scripted, UpstreamError } from '@quartermaster/host/upstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AbortError,
  createDatabaseSessionStore,
  createFileSessionStore,
  createMemorySessionStore,
  createSdkMcpServer,
  type Options,
  query,
  tool,
} from './index.ts';
import { ask } from './testing/ask.fixture.ts';
import { collect, initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { office } from './testing/servers.fixture.ts';

let folder = '';
let database: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sessions-'));
  database = await openStore({ path: ':memory:' });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function begin(options: Options): Promise<string> {
  const { messages } = await ask(
    [{ calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] }, { text: 'Found it.' }],
    { persistSession: true, ...options },
  );
  return initOf(messages).session_id;
}

describe.each([
  ['in files', () => ({ cwd: folder })],
  ['in memory', () => ({ cwd: folder, sessions: createMemorySessionStore() })],
  ['in a database', () => ({ cwd: folder, sessions: createDatabaseSessionStore(database.sessions) })],
])('a session %s', (_where, make) => {
  it('is resumed with what was said and what was loaded', async () => {
    const where = make();
    const id = await begin(where);
    const { messages, upstream } = await ask([{ text: 'Again.' }], { persistSession: true, ...where, resume: id });
    expect(initOf(messages).session_id).toBe(id);
    const [request] = upstream.requests;
    expect(request?.tools?.map(({ name }) => name)).toEqual(['tool_search', 'mcp__office__get_weather']);
    expect(request?.messages[0]).toMatchObject({ role: 'user', content: 'Do it' });
    const third = await ask([{ text: 'More.' }], { persistSession: true, ...where, resume: id });
    expect(JSON.stringify(third.upstream.requests[0]?.messages)).toContain('Again.');
  });

  it('can be forked, and stays as it is', async () => {
    const where = make();
    const id = await begin(where);
    const fork = await ask([{ text: 'Fork.' }], { persistSession: true, ...where, resume: id, forkSession: true });
    const forkId = initOf(fork.messages).session_id;
    expect(forkId).not.toBe(id);
    expect(JSON.stringify(fork.upstream.requests[0]?.messages)).toContain('Found it.');
    const [old, next] = await Promise.all(
      [id, forkId].map(
        async (resume) => (await ask([{ text: 'x' }], { persistSession: true, ...where, resume })).upstream,
      ),
    );
    expect(JSON.stringify(old?.requests)).not.toContain('Fork.');
    expect(JSON.stringify(next?.requests)).toContain('Fork.');
  });

  it('stays as it is where a query is not to be kept', async () => {
    const where = make();
    const resume = await begin(where);
    const once = await ask([{ text: 'Once.' }], { ...where, resume });
    expect(JSON.stringify(once.upstream.requests)).toContain('Found it.');
    const next = await ask([{ text: 'x' }], { ...where, resume });
    expect(JSON.stringify(next.upstream.requests)).not.toContain('Once.');
  });

  it('that ended in the middle of a call is resumed with the call, which may have run', async () => {
    const where = { ...make(), persistSession: true };
    const abortController = new AbortController();
    const send = tool('send', 'Sends a mail.', {}, () => {
      abortController.abort();
      return new Promise(() => {});
    });
    const id = 'aborted';
    const running = ask([{ calls: [{ id: 'toolu_1', name: 'mcp__post__send' }] }], {
      ...{ ...where, sessionId: id, abortController, allowedTools: ['*'] },
      mcpServers: { post: createSdkMcpServer({ name: 'post', tools: [send] }) },
    });
    await expect(running).rejects.toBeInstanceOf(AbortError);

    const interrupted = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1' }] },
      {
        role: 'user',
        content: [{ tool_use_id: 'toolu_1', content: expect.stringContaining('may have run'), is_error: true }],
      },
    ];
    const shown = async (more: Options): Promise<unknown> =>
      (await ask([{ text: 'I see.' }], { ...where, resume: id, ...more })).upstream.requests[0]?.messages.slice(1);
    expect(await shown({ forkSession: true, sessionId: 'fork' })).toMatchObject([...interrupted, { role: 'user' }]);
    // A session that a fork was made of is as it was; what was answered is kept with it, once.
    expect(await shown({})).toMatchObject([...interrupted, { role: 'user' }]);
    for (const resume of [id, 'fork']) {
      const roles = [...interrupted, { role: 'user' }, { role: 'assistant' }, { role: 'user' }];
      expect(await shown({ resume })).toMatchObject(roles);
    }
  });

  it('that is not there is said to be so', async () => {
    await expect(begin({ ...make(), resume: 'none-such' })).rejects.toThrow(
      'There is no session "none-such" to resume',
    );
  });

  it('can have an id of one’s own', async () => {
    expect(await begin({ ...make(), sessionId: 'my-session' })).toBe('my-session');
  });
});

describe('session files', () => {
  const files = (): Promise<readonly string[]> => readdir(join(folder, '.quartermaster', 'sessions')).catch(() => []);

  it('are written unless persistSession is off, for the user alone', async () => {
    await begin({ cwd: folder, persistSession: false });
    expect(await files()).toEqual([]);
    const id = await begin({ cwd: folder });
    expect(await files()).toEqual([`${id}.jsonl`]);
    expect((await stat(join(folder, '.quartermaster', 'sessions', `${id}.jsonl`))).mode & 0o077).toBe(0);
    expect(await readFile(join(folder, '.quartermaster', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('survive a line that was cut off, and lines that are none', async () => {
    const store = createFileSessionStore(folder);
    await store.append('s', [{ kind: 'message', message: { role: 'user', content: 'Hi' } }]);
    const path = join(folder, 's.jsonl');
    await writeFile(path, `${await readFile(path, 'utf8')}\n{"kind":"other"}\nnull\n{"kind":"message","mess`);
    expect(await store.read('s')).toEqual([{ kind: 'message', message: { role: 'user', content: 'Hi' } }]);
    await store.append('s', [{ kind: 'message', message: { role: 'user', content: 'Again' } }]);
    expect(await store.read('s')).toHaveLength(2);
  });

  it.each(['../x', 'a/b', '', 'x'.repeat(101)])('are never named %j', async (id) => {
    await expect(createFileSessionStore(folder).read(id)).rejects.toThrow('session id');
  });
});

describe('continue', () => {
  it.each([
    ['in memory', () => ({ sessions: createMemorySessionStore() })],
    ['in files', () => ({ cwd: folder })],
  ])('goes on with the latest session %s, or begins one', async (_where, place) => {
    const kept = { ...place(), persistSession: true, continue: true };
    const first = await ask([{ text: 'One.' }], kept);
    const again = await ask([{ text: 'Two.' }], kept);
    expect(initOf(again.messages).session_id).toBe(initOf(first.messages).session_id);
    expect(JSON.stringify(again.upstream.requests[0]?.messages)).toContain('One.');
  });

  it('is refused where the store does not know, and beside resume', async () => {
    const { read, append } = createMemorySessionStore();
    await expect(ask([], { sessions: { read, append }, continue: true })).rejects.toThrow('no latest()');
    await expect(ask([], { resume: 'x', continue: true })).rejects.toThrow('both given');
  });
});

describe('sessions in a database', () => {
  it('survive records that are none', async () => {
    const store = createDatabaseSessionStore(database.sessions);
    await store.append('s', [{ kind: 'message', message: { role: 'user', content: 'Hi' } }]);
    await database.sessions.append('s', ['{"kind":"other"}', 'null', '{"kind":"mess', '']);
    expect(await store.read('s')).toEqual([{ kind: 'message', message: { role: 'user', content: 'Hi' } }]);
  });
});

describe('a conversation that outgrows the window', () => {
  const long = (word: string): string => `${word} ${'lorem ipsum dolor sit amet '.repeat(60)}`;

  it('is compacted; what was loaded is searched for again, and found again', async () => {
    const upstream = scripted({
      dialect: 'anthropic',
      turns: [
        { calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] },
        { text: long('First') },
        { text: long('Second') },
        { text: long('Third') },
        { text: 'The user asked for alpha and beta.' },
        { calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] },
        { calls: [{ name: 'mcp__office__get_weather', input: { text: 'Rome' } }] },
        { text: 'Fine.' },
      ],
    });
    const prompt = (async function* () {
      for (const content of ['alpha', 'beta', 'gamma', 'delta']) {
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
      }
    })();
    const sessions = createMemorySessionStore();
    const options = { upstream, sessions, contextTokens: 2_000, mcpServers: { office: office() }, allowedTools: ['*'] };
    const messages = await collect(query({ prompt, options }));

    const [boundary] = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'compact_boundary',
    );
    expect(boundary).toMatchObject({ compact_metadata: { trigger: 'auto', pre_tokens: expect.any(Number) } });
    const summary = upstream.requests[4];
    expect(summary?.tools).toBeUndefined();
    expect(JSON.stringify(summary?.messages)).toContain('alpha');
    const next = upstream.requests[5];
    expect(next?.tools?.map(({ name }) => name)).toEqual(['tool_search']);
    const text = JSON.stringify(next?.messages);
    expect(text).toContain('The user asked for alpha and beta.');
    expect(text).toContain('delta');
    expect(text).not.toContain('First');
    expect(resultsIn(messages)).toEqual([{ text: 'get_weather: Rome', isError: false }]);

    const resumed = await ask([{ text: 'x' }], { sessions, persistSession: true, resume: initOf(messages).session_id });
    expect(JSON.stringify(resumed.upstream.requests[0]?.messages)).toContain('The user asked for alpha and beta.');
    expect(JSON.stringify(resumed.upstream.requests[0]?.messages)).not.toContain('First');
  });

  it('is compacted when the host says that it is too long, once', async () => {
    const tooLong = (): { fails: Error } => ({
      fails: new UpstreamError({
        code: 'refused',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
        status: 400,
      }),
    });
    const sessions = createMemorySessionStore();
    const resume = await begin({ sessions });
    const turns = [tooLong(), { text: 'They looked for a tool.' }, { text: 'Here I am.' }];
    const { messages, upstream } = await ask(turns, { sessions, persistSession: true, resume });
    expect(messages.map((message) => ('subtype' in message ? message.subtype : message.type))).toEqual([
      'init',
      'compact_boundary',
      'assistant',
      'success',
    ]);
    expect(JSON.stringify(upstream.requests[2]?.messages)).toContain('They looked for a tool.');

    const again = await begin({ sessions });
    const failed = await ask([tooLong(), { text: 'x' }, tooLong()], { sessions, persistSession: true, resume: again });
    expect(resultOf(failed.messages)).toMatchObject({ errors: [expect.stringContaining('too long')] });
  });
});
