import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';

const REFUND = { name: 'payments_refund', description: 'Refunds a captured charge by its id.', inputSchema: {} };
const CAPTURE = { name: 'payments_capture', description: 'Captures an authorised charge by its id.', inputSchema: {} };
const FORECAST = { name: 'tianqi', description: '查询城市的天气预报和温度信息', inputSchema: {} };

/** What the stand-in for a model writes about each tool. */
const WRITTEN: Readonly<Record<string, readonly unknown[]>> = {
  payments_refund: [
    'give the shopper their cash back',
    'return money to the shopper',
    'captures an authorised charge by its id',
  ],
  payments_capture: ['collect the reserved amount', 'take the reserved amount now'],
  tianqi: ['will it rain tomorrow', 'is it going to rain in the city', 'x'.repeat(500), 7],
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A host that answers in the Messages API's shape, and remembers what it was asked. */
async function startModel(answer: (prompt: string) => { readonly status?: number; readonly text: string }) {
  const prompts: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const prompt = (JSON.parse(body) as { messages: [{ content: string }] }).messages[0].content;
      prompts.push(prompt);
      const { status = 200, text } = answer(prompt);
      response.writeHead(status, { 'content-type': 'application/json' });
      const content = [{ type: 'text', text }];
      const message = {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'writer',
        content,
        stop_reason: 'end_turn',
      };
      const failed = { type: 'error', error: { type: 'invalid_request_error', message: text } };
      response.end(
        JSON.stringify(status === 200 ? { ...message, usage: { input_tokens: 1, output_tokens: 1 } } : failed),
      );
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { prompts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function write(prompt: string): { readonly text: string } {
  const asked = Object.entries(WRITTEN).filter(([name]) =>
    prompt.split('Other tools')[0]?.includes(`"name":"${name}"`),
  );
  return { text: `Here it is:\n${JSON.stringify(Object.fromEntries(asked))}` };
}

function catalog(url: string, ...tools: readonly object[]) {
  const folder = temporaryFolder();
  const [file, config, out] = ['tools.jsonl', 'quartermaster.yaml', 'hints.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, tools.map((tool) => JSON.stringify(tool)).join('\n'));
  writeFileSync(config, `upstreams:\n  - { models: ["*"], provider: anthropic, baseUrl: "${url}", apiKey: k }\n`);
  return {
    ...{ file, config, out },
    enrich: (...args: string[]) =>
      runCommand(['enrich', '--tools', file, '--config', config, '--out', out, '--model', 'writer', ...args], {}),
    hints: () =>
      (JSON.parse(readFileSync(out, 'utf8')) as { tools: Record<string, { hints: string[]; rejected?: string[] }> })
        .tools,
    search: (query: string, ...args: string[]) =>
      runCommand(['search', query, '--tools', file, '--engine', 'bm25', '--json', ...args], {}),
  };
}

describe('quartermaster enrich', () => {
  it('shows the cost with --dry-run, without asking the model or writing anything', async () => {
    const { url, prompts } = await startModel(write);
    const { enrich, out } = catalog(url, REFUND, CAPTURE);
    const run = await enrich('--dry-run', '--input-price', '1000', '--output-price', '1000');
    expect(run).toMatchObject({ code: 0 });
    expect(run.out).toMatch(
      /^2 tools to ask writer about, in 1 request\.\nAbout \d+ input tokens and up to 180 output tokens: about \$\d\.\d\d\.\n$/,
    );
    expect(prompts).toEqual([]);
    expect(existsSync(out)).toBe(false);
  });

  it('says with --dry-run that no upstream serves the model', async () => {
    const { url } = await startModel(write);
    const { enrich, config } = catalog(url, REFUND);
    writeFileSync(config, 'upstreams: [{ models: ["other"], provider: rehearsal }]');
    const run = await enrich('--dry-run');
    expect(run.out).toContain('1 tool to ask writer about');
    expect(run.err).toContain('No upstream in the settings serves the model "writer"');
  });

  it('does not count a batch as done if its answer cannot be read', async () => {
    const { url, prompts } = await startModel(() => ({ text: 'I would rather not.' }));
    const run = await catalog(url, REFUND, CAPTURE).enrich('--yes');
    expect(prompts).toHaveLength(2);
    expect(run).toMatchObject({ code: 1, out: expect.stringContaining('No hints. 2 tools without hints.') });
    expect(run.out).not.toContain('To use them');
    expect(run.err).toContain("2 tools: the model's answer could not be read. Run the command again to retry.");
  });

  it('asks before it spends anything', async () => {
    const { url, prompts } = await startModel(write);
    const run = await catalog(url, REFUND).enrich();
    expect(run).toMatchObject({ code: 2 });
    expect(run.err).toContain('--yes');
    expect(prompts).toEqual([]);
  });

  it('stores hints that help searches but do not change the definition', async () => {
    const { url } = await startModel(write);
    const { enrich, hints, search, out } = catalog(url, REFUND, CAPTURE, FORECAST);
    expect(await enrich('--yes')).toMatchObject({ code: 0 });
    expect(hints().tianqi?.hints).toEqual(['is it going to rain in the city', 'will it rain tomorrow']);
    expect((await search('will it rain tomorrow')).code).toBe(1);
    const found = await search('will it rain tomorrow', '--hints', out);
    expect(found).toMatchObject({ code: 0 });
    expect(found.out).toContain('tianqi');
    expect(found.out).not.toContain('rain in the city');
  });

  it('rejects a hint that finds another tool of the server first', async () => {
    const { url } = await startModel(write);
    const { enrich, hints, out } = catalog(url, REFUND, CAPTURE);
    const run = await enrich('--yes');
    expect(run.out).toContain('1 rejected');
    expect(hints().payments_refund).toMatchObject({
      hints: ['give the shopper their cash back', 'return money to the shopper'],
      rejected: ['captures an authorised charge by its id'],
    });
    const first = readFileSync(out, 'utf8');
    await enrich('--yes');
    expect(readFileSync(out, 'utf8')).toBe(first);
  });

  it('resumes an interrupted run, and asks again only about changed tools', async () => {
    let isBroken = true;
    const { url, prompts } = await startModel((prompt) =>
      isBroken && prompt.includes('"name":"tool_9"')
        ? { status: 400, text: 'over the limit' }
        : { text: '{"tool_1": ["count sheep"], "tool_9": ["fly a kite"]}' },
    );
    const tools = Array.from({ length: 10 }, (_, at) => ({
      name: `tool_${at}`,
      description: 'Does.',
      inputSchema: {},
    }));
    const { enrich, hints, file } = catalog(url, ...tools);
    const stopped = await enrich('--yes', '--concurrency', '1');
    expect(stopped).toMatchObject({ code: 69 });
    expect(stopped.err).toContain('8 tools of 10 done');
    expect(Object.keys(hints())).toEqual(['tool_1']);
    isBroken = false;
    prompts.length = 0;
    expect(await enrich('--yes')).toMatchObject({ code: 0 });
    expect(Object.keys(hints())).toEqual(['tool_1', 'tool_9']);
    expect(prompts.join()).not.toContain('{"name":"tool_1"');

    writeFileSync(file, JSON.stringify({ ...tools[1], description: 'Does something else.' }));
    prompts.length = 0;
    await enrich('--yes');
    expect(prompts).toHaveLength(1);
  });

  it('--only-weak covers only tools with little English text', async () => {
    const { url } = await startModel(write);
    const { enrich, hints } = catalog(
      url,
      { ...REFUND, description: 'Refunds a captured charge by its id to a card.' },
      FORECAST,
    );
    const run = await enrich('--yes', '--only-weak');
    expect(run.out).toContain('1 tool skipped: the description is good enough.');
    expect(Object.keys(hints())).toEqual(['tianqi']);
  });

  it('rejects a model that no upstream serves, and a file without hints', async () => {
    const { url } = await startModel(write);
    const { enrich, config, out } = catalog(url, REFUND);
    writeFileSync(config, 'upstreams: [{ models: ["other"], provider: rehearsal }]');
    expect((await enrich('--yes')).err).toContain('No upstream in the settings serves the model "writer"');
    writeFileSync(out, '[]');
    expect((await enrich('--yes')).err).toContain('is not a file of search hints');
  });
});
