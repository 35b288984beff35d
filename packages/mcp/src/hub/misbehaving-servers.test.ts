import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryListingStore, type ListingStore } from '../store/index.ts';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { oddServer } from '../testing/odd-server.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub } from './hub.ts';
import type { HubOptions } from './hub-options.ts';
import type { InProcessSettings, ServerSettings } from './server-settings.ts';

const hubs: Hub[] = [];

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});

async function startHub(
  servers: Readonly<Record<string, ServerSettings>>,
  options: Partial<HubOptions> = {},
): Promise<Hub> {
  const hub = createHub({ servers, ...options });
  hubs.push(hub);
  await hub.start();
  return hub;
}

async function callText(hub: Hub, id: string, args = {}): Promise<string> {
  const tool = hub.snapshot().get(id);
  if (tool === undefined) throw new Error(`There is no ${id}`);
  const result = await hub.call({ tool, arguments: args });
  return (result.content as unknown as { text: string }[])[0]?.text ?? '';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A server in this process that is made when the test says so, if ever. */
function neverMade(): { readonly settings: InProcessSettings; make(server: McpServer): void } {
  let make: (server: McpServer) => void = () => {};
  const made = new Promise<McpServer>((resolve) => {
    make = resolve;
  });
  return { settings: { type: 'in-process', create: () => made }, make: (server) => make(server) };
}

describe('a hub with servers that misbehave', () => {
  it('skips text and unrelated JSON on standard output', async () => {
    const hub = await startHub({ noisy: oddServer('noisy') });
    expect(await callText(hub, 'noisy/hello')).toBe('done');
    const [status] = hub.status();
    expect(status?.noise).toEqual({ count: 5, last: 'working on it' });
  });

  it('reports unusable servers with the reason, and keeps the others', async () => {
    const hub = await startHub({
      fine: oddServer('plain'),
      silent: oddServer('silent', { connectTimeoutMs: 300 }),
      dying: oddServer('dying'),
      missing: { command: 'no-such-command-anywhere' },
      failing: oddServer('list-error'),
      listless: oddServer('no-list'),
      useless: oddServer('all-bad'),
      nowhere: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
      wrong: { type: 'http', url: 'ftp://example.com' },
    });
    expect(hub.snapshot().tools.map((tool) => tool.id)).toEqual(['fine/hello']);
    expect(hub.unavailable()).toEqual([
      { server: 'silent', reason: 'it did not answer within 0.3 s' },
      { server: 'dying', reason: 'it ended before it answered' },
      { server: 'missing', reason: 'its command "no-such-command-anywhere" was not found' },
      { server: 'failing', reason: "its tools can't be listed: the database is locked" },
      { server: 'listless', reason: "its tools can't be listed: its answer contains nothing instead of a list" },
      {
        server: 'useless',
        reason: expect.stringMatching(/^none of its tools can be used, such as: Tool 0 \("deep"\).* nests deeper than/),
      },
      { server: 'nowhere', reason: 'bad port' },
      { server: 'wrong', reason: 'The url of server "wrong" is not an http or https address' },
    ]);
  });

  it.each([
    ['endless', 'after 3 pages (mcp.limits.listPages)', ['t0', 't1', 't2']],
    ['repeating', 'after a page that it repeats', ['same']],
  ])(
    'stops a list that is %s, and names the server, also where the list is known from before',
    async (mode, where, names) => {
      const listings = createMemoryListingStore();
      const limits = { listPages: 3 };
      for (const state of ['ready', 'idle']) {
        const hub = await startHub({ [mode]: oddServer(mode) }, { listings, limits });
        const [status] = hub.status();
        expect([status?.state, status?.problems[0]]).toEqual([state, `The list was cut off ${where}`]);
        expect(hub.unavailable()).toEqual([{ server: mode, reason: `its list was cut off ${where}` }]);
        expect(hub.snapshot().tools.map((tool) => tool.name)).toEqual(names);
      }
    },
  );

  it('remembers what was unreadable in a stored list', async () => {
    const listings = createMemoryListingStore();
    const servers = { mixed: oddServer('bad-tools'), useless: oddServer('all-bad') };
    const first = await startHub(servers, { listings });
    expect(first.unavailable()).toHaveLength(2);
    const second = await startHub(servers, { listings });
    expect(second.status().map(({ state }) => state)).toEqual(['idle', 'idle']);
    expect(second.unavailable()).toEqual(first.unavailable());
  });

  it('keeps valid tools beside invalid ones, and reports the invalid ones', async () => {
    const hub = await startHub({ mixed: oddServer('bad-tools') });
    expect(hub.unavailable()).toEqual([
      {
        server: 'mixed',
        reason: '5 of its tools can\'t be used, such as: Tool 3 of "mixed" can\'t be read: it has no name',
      },
    ]);
    expect(hub.snapshot().tools.map((tool) => tool.name)).toEqual([
      'good',
      'no_schema',
      'no_type',
      'large',
      'proto',
      'last',
    ]);
    expect(hub.status()[0]?.problems).toEqual([
      'Tool 3 of "mixed" can\'t be read: it has no name',
      'Tool 4 of "mixed" can\'t be read: it is 42, not an object',
      'Tool 5 of "mixed" can\'t be read: it is null, not an object',
      'Tool 6 ("bad_schema") of "mixed" can\'t be read: its inputSchema is "text", not a JSON Schema object',
      'Tool 7 ("good") repeats an earlier name and is left out',
      expect.stringMatching(/^Tool 9 \("deep"\) of "mixed" can't be read: it nests deeper than/),
    ]);
  });

  it('ends a process that ignores SIGTERM, and its children', async () => {
    const hub = await startHub({ stubborn: oddServer('stubborn') });
    const pids = JSON.parse(await callText(hub, 'stubborn/pids')) as number[];
    expect(pids.map(isRunning)).toEqual([true, true]);
    await hub.close();
    await until(() => !pids.some(isRunning));
  });

  it('leaves no process behind when this one exits without closing anything', async () => {
    const script = `
      import { createHub } from '@quartermaster/mcp';
      const hub = createHub({ servers: { stubborn: ${JSON.stringify(oddServer('stubborn'))} } });
      await hub.start();
      const { content } = await hub.call({ tool: hub.snapshot().tools[0], arguments: {} });
      process.stdout.write(content[0].text, () => process.exit(0));`;
    const args = ['--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
    const pids = JSON.parse(stdout) as number[];
    expect(pids).toHaveLength(2);
    await until(() => !pids.some(isRunning));
  });

  it('slows down for a server that reports changes without any', async () => {
    const clock = manualClock();
    const hub = await startHub({ restless: oddServer('restless') }, { clock });
    const pauses: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await until(() => clock.pending.length === 1);
      // An answer on the same pipe: what was sent before it has arrived.
      await callText(hub, 'restless/listed');
      pauses.push(...clock.pending);
      clock.advance(clock.pending[0] ?? 0);
    }
    expect(pauses).toEqual([100, 100, 200, 400]);
    await until(() => clock.pending.length === 1);
    expect(await callText(hub, 'restless/listed')).toBe('5');
  });

  it('remembers newly unreadable tools even if the others are unchanged', async () => {
    const clock = manualClock();
    const kept: (string | undefined)[] = [];
    const listings: ListingStore = {
      get: async () => undefined,
      put: async (_, { unreadable }) => void kept.push(unreadable),
    };
    const hub = await startHub({ worsening: oddServer('worsening') }, { clock, listings });
    await until(() => clock.pending.length === 1);
    clock.advance(100);
    await until(() => hub.unavailable().length === 1);
    expect(kept).toEqual([undefined, hub.unavailable()[0]?.reason]);
  });

  it('does not wait for a server that is still starting when it is closed', async () => {
    const hub = createHub({ servers: { silent: oddServer('silent') } });
    const started = hub.start();
    await until(() => hub.status()[0]?.state === 'connecting');
    await hub.close();
    await started;
    expect(hub.status()[0]?.state).toBe('idle');
  });

  it('applies the start timeout to an in-process server', async () => {
    const clock = manualClock();
    const hub = createHub({ servers: { never: neverMade().settings, good: smallServer(() => ({ one: '' })) }, clock });
    hubs.push(hub);
    const started = hub.start();
    await until(() => hub.status()[0]?.state === 'connecting' && hub.snapshot().tools.length === 1);
    clock.advance(30_000);
    await started;
    expect(hub.unavailable()).toEqual([{ server: 'never', reason: 'it did not answer within 30 s' }]);
    expect(hub.snapshot().tools.map(({ id }) => id)).toEqual(['good/one']);
  });

  it('does not wait for an in-process server when it is closed, and closes one that arrives late', async () => {
    const { settings, make } = neverMade();
    const hub = createHub({ servers: { never: settings } });
    const started = hub.start();
    await until(() => hub.status()[0]?.state === 'connecting');
    await hub.close();
    await started;
    const late = new McpServer({ name: 'late', version: '1.0.0' });
    const closed = new Promise<void>((resolve) => {
      late.server.onclose = resolve;
    });
    make(late);
    await closed;
  });

  it('passes a process only its own variables', async () => {
    const hub = await startHub(
      { environment: oddServer('environment', { env: { OWN_TOKEN: 'theirs' } }) },
      { environment: { ...process.env, OUR_SECRET: 'ours' } },
    );
    const environment = JSON.parse(await callText(hub, 'environment/names')) as Record<string, string>;
    expect(environment).toMatchObject({ OWN_TOKEN: 'theirs', PATH: expect.any(String) });
    expect(Object.keys(environment)).not.toContain('OUR_SECRET');
  });

  it('names the server in the error if it exits during a call, and says that the outcome is unknown', async () => {
    const hub = await startHub({ crashing: oddServer('crashing') });
    // Each call starts it again at once: no pause makes the second one fail for another reason.
    for (let calls = 0; calls < 3; calls += 1) {
      await expect(callText(hub, 'crashing/crash')).rejects.toMatchObject({
        code: 'connection_lost',
        message:
          'The connection to server "crashing" was lost while "crash" ran, so it may have run. Check before you call it again; the next call restarts the server.',
      });
    }
    await until(() => hub.status()[0]?.state !== 'connecting');
    expect(hub.snapshot().tools).toHaveLength(1);
  });
});
