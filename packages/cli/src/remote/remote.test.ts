import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand, startCommand, temporaryFolder } from '../serving/running-command.fixture.ts';
import { createTerminal } from '../terminal/index.ts';
import { openGateway } from './gateway-client.ts';
import { renderRecord } from './watch-gateway.ts';

const WEATHER = { name: 'get_weather', description: 'Get the weather of a city', input_schema: { type: 'object' } };
const MAIL = { name: 'send_mail', description: 'Send a mail', inputSchema: { type: 'object' }, server: 'post' };

async function startGateway(folder: string): Promise<string> {
  const command = startCommand(['serve', '--port', '0', '--log', 'none', '--store', ':memory:'], { cwd: folder });
  return /http:\/\/[\w.:]+/.exec(await command.until('Ctrl+C'))?.[0] ?? '';
}

describe('catalogs', () => {
  it('pushes a catalog, lists it, and says what differs', async () => {
    const folder = temporaryFolder();
    const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
    writeFileSync(first, JSON.stringify([WEATHER, MAIL]));
    writeFileSync(second, JSON.stringify([{ ...WEATHER, description: 'Get the forecast of a city' }]));
    const env = { QUARTERMASTER_URL: await startGateway(folder) };
    const catalogs = (...args: string[]) => runCommand(['catalogs', ...args], env);

    const dry = await catalogs('push', 'acme', '--tools', first, '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: 'acme is new: 2 tools.\n' });
    expect((await catalogs('list')).out).not.toContain('acme');

    expect(await catalogs('push', 'acme', '--tools', first)).toMatchObject({ code: 0 });
    expect((await catalogs('list')).out).toMatch(/^acme +2 /m);
    expect(await catalogs('diff', 'gateway:acme', first)).toMatchObject({ code: 0, out: 'No difference.\n' });
    expect((await catalogs('push', 'acme', '--tools', first)).err).toContain('up to date');

    const diff = await catalogs('diff', 'gateway:acme', second);
    expect(diff.code).toBe(1);
    expect(diff.out).toContain('0 tools added, 1 removed, 1 changed');
    expect(diff.out).toContain('- post/send_mail');
    expect(diff.out).toContain('~ get_weather description');
    const json = await catalogs('diff', 'gateway:acme', second, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ same: false, removed: ['post/send_mail'] });

    expect(await catalogs('diff', 'gateway:none', second)).toMatchObject({ code: 2 });
    expect(await catalogs('diff', 'acme', second)).toMatchObject({
      code: 2,
      err: 'acme: there is no such file. For a catalog of the gateway, write gateway:acme\n',
    });
    expect((await catalogs('push', 'acme')).err).toContain('--tools FILE or --mcp-config FILE');
  }, 60_000);

  it('gives a catalog to another key', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'tools.json');
    writeFileSync(file, JSON.stringify([WEATHER]));
    const keys = ['root', 'next'].map((name) => `{ name: ${name}, key: ${name}-secret, role: admin }`);
    writeFileSync(join(folder, 'quartermaster.yaml'), `keys: [${keys.join(', ')}]\n`);
    const env = { QUARTERMASTER_URL: await startGateway(folder), QUARTERMASTER_KEY: 'root-secret' };
    const catalogs = (...args: string[]) => runCommand(['catalogs', ...args], env);
    await catalogs('push', 'acme', '--tools', file);
    expect(await catalogs('give', 'acme', 'configured:next')).toMatchObject({ code: 0, out: '' });
    const [listed = ''] = (await catalogs('list', '--json')).out.split('\n').filter((line) => line.includes('acme'));
    expect(JSON.parse(listed)).toMatchObject({ owner: 'configured:next' });
    expect(await catalogs('give', 'acme', 'nobody')).toMatchObject({ code: 2 });
  }, 60_000);
});

describe('watch', () => {
  it('shows the searches, loads and calls of a request, and what they saved', async () => {
    const url = await startGateway(temporaryFolder());
    const watching = startCommand(['watch', '--url', url, '--limit', '1'], { cwd: temporaryFolder() });
    await watching.until('Watching', 'err');
    const catalog = { type: 'quartermaster_catalog', name: 'sample', defer_loading: true };
    const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
    const messages = [{ role: 'user', content: 'Are there weather alerts for Oslo?' }];
    const body = JSON.stringify({ model: 'm', max_tokens: 100, tools: [search, catalog], messages });
    await fetch(`${url}/v1/messages`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect(await watching.ended).toMatchObject({ code: 0 });
    expect(watching.out()).toMatch(/messages m, [\d.]+ s, deferred, 2 rounds\n {2}search .*get_weather_alerts/);
    expect(watching.out()).toMatch(/^ {2}saved {3}[\d,]+ \([\d,]+ tokens kept out/m);
  }, 60_000);

  it('reports that no gateway responds', async () => {
    const { code, err } = await runCommand(['watch', '--url', `http://127.0.0.1:${await freePort()}`], {});
    expect(code).toBe(69);
    expect(err).toMatch(/^No gateway responds at http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\. Start one with /);
  });

  it('reports a refusal of the gateway, and where to put the key', async () => {
    const url = await answerWith(401, '{"error": {"message": "invalid x-api-key"}}');
    const { code, err } = await runCommand(['watch', '--url', url], {});
    expect(code).toBe(2);
    expect(err).toBe(
      `${url} rejected the request: invalid x-api-key. Set QUARTERMASTER_KEY to a key of this gateway.\n`,
    );
  });

  it('ends with 69 when the gateway closes the connection', async () => {
    const url = await answerWith(200, 'event: missed\ndata: 3\n\nevent: request\ndata: {"route": "messages"}\n\n');
    const { code, out, err } = await runCommand(['watch', '--url', url, '--json'], {});
    expect({ code, out }).toEqual({ code: 69, out: '{"route":"messages"}\n' });
    expect(err).toContain('3 requests not shown');
    expect(err).toContain('closed the connection');
  });

  it('reports an answer that ends early', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': 100, 'content-type': 'application/json' });
      response.write('{"data"', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await runCommand(['catalogs', 'list', '--url', url], {});
    expect([code, err]).toEqual([69, expect.stringContaining(`${url} ended its answer early: `)]);
  });

  it('reports an internal error as such', async () => {
    const fault = new TypeError('undefined is not a function');
    const asked = openGateway({ url: 'http://127.0.0.1:1' }, {}).ask(() => Promise.reject(fault));
    await expect(asked).rejects.toBe(fault);
  });

  it('refuses an address that is not http', async () => {
    const { code, err } = await runCommand(['watch', '--url', 'file:///etc/passwd'], {});
    expect(code).toBe(2);
    expect(err).toContain('--url takes an http or https address');
  });
});

describe('renderRecord', () => {
  const terminal = { ...createTerminal({ stdout: process.stdout, env: { NO_COLOR: '1' } }), width: 80 };

  it('stays within the width, whatever a record contains', () => {
    const long = 'x'.repeat(500);
    const searches = [{ outcome: 'match', engine: 'hybrid', queries: [long], found: [long, long], tookMs: 1 }];
    const record = { route: long, model: long, atMs: 0, searches, called: [long], refused: [{ reason: long }] };
    for (const line of renderRecord(record, terminal).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('accepts an unknown record', () => {
    expect(renderRecord('text', terminal)).toContain('0.0 s');
    expect(renderRecord({ searches: 'x', tokens: 3, called: [1] }, terminal)).not.toContain('call');
  });
});

async function answerWith(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
