import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageVersion } from '../package-version.ts';
import { manyToolsServer } from '../serving/many-tools-server.fixture.ts';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';

const GOOD = {
  name: 'send_email',
  description: 'Send an email with attachments to a customer.',
  inputSchema: { type: 'object', properties: { to: { type: 'string', description: 'The address of the customer' } } },
};

interface Linted {
  readonly errors: number;
  readonly findings: readonly { readonly rule: string; readonly tool?: string; readonly message: string }[];
}

function catalog(...tools: readonly object[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'tools.jsonl');
  writeFileSync(file, tools.map((tool) => JSON.stringify(tool)).join('\n'));
  const run = (...args: string[]) => runCommand(['lint', '--tools', file, ...args], {});
  return {
    ...{ folder, file, run },
    async rules(...args: string[]) {
      const { out } = await run('--json', '-e', 'bm25', ...args);
      const { findings } = JSON.parse(out) as Linted;
      return findings.map(({ rule, tool }) => `${rule} ${tool ?? ''}`.trim());
    },
  };
}

describe('quartermaster lint', () => {
  it('reports nothing for a good catalog', async () => {
    const { run } = catalog(GOOD);
    expect(await run()).toMatchObject({ code: 0, out: '1 tool, nothing to report.\n' });
  });

  it('is one gate for CI: a figure below its floor is an error', async () => {
    const { folder, run, rules } = catalog(GOOD);
    const queries = join(folder, 'queries.jsonl');
    const lines = ['send an email', 'water plants'].map((query) => ({ query, relevant: ['send_email'] }));
    writeFileSync(queries, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await rules('--queries', queries, '--floor', 'recall@5=50')).toEqual([]);
    expect(await rules('--queries', queries, '--floor', 'recall@5=80')).toEqual(['below-floor']);
    const missed = await run('-e', 'bm25', '--queries', queries, '--floor', 'recall@5=80');
    expect(missed).toMatchObject({ code: 1, out: expect.stringContaining('recall@5 is 50.0, below 80') });
    expect(await run('--floor', 'recall@5=80')).toMatchObject({
      code: 2,
      err: '--queries and --floor need each other\n',
    });
    expect((await run('--no-search', '--queries', queries, '--floor', 'mrr=1')).code).toBe(2);
  });

  it.each([
    ['no-description x_get', { name: 'x_get', description: ' ' }],
    ['short-description x_get', { name: 'x_get', description: 'Gets the x' }],
    ['no-verb weather', { name: 'weather', description: 'The temperature and humidity outside in a city' }],
    [
      'parameter-text x_get',
      { name: 'x_get', description: 'Get one of the letters', inputSchema: { properties: { a: {} } } },
    ],
    ['too-long x_get', { name: 'x_get', description: `Get one of ${'many letters '.repeat(500)}` }],
    ['no-successor x_get', { name: 'x_get', description: 'Deprecated. Get one of the letters.' }],
  ])('finds %s', async (expected, tool) => {
    expect(await catalog(GOOD, tool).rules('--no-search')).toEqual([expected]);
  });

  it.each([
    'Echoes back the text that it was given',
    'Fork of a repository into your own account: forks it with all branches',
    'Customizes how diagrams look',
    'Reboots the server at once, whatever it does',
  ])('knows the verb of %j', async (description) => {
    expect(await catalog({ name: 'x', description }).rules('--no-search')).toEqual([]);
  });

  it('accepts deprecated tools with a successor, other scripts, and tools that a provider describes', async () => {
    const successor = { name: 'old_mail', description: 'Deprecated, use send_email. Mails a letter by post.' };
    const chinese = { name: 'tianqi', description: '查询城市的天气预报和温度信息' };
    const hosted = { type: 'web_search_20250305', name: 'web_search' };
    expect(await catalog(GOOD, successor, chinese, hosted).rules('--no-search')).toEqual([]);
  });

  it('finds twins with equal or nearly equal text, and clashing names', async () => {
    const text = 'Open the list of all invoices that a customer has not paid within thirty days after delivery';
    const tools = [
      { server: 'a', tools: [{ name: 'invoices_open', description: text }] },
      { server: 'b', tools: [{ name: 'invoicesOpen', description: `${text}!` }] },
      { server: 'c', tools: [{ name: 'unpaid_list', description: `${text} now` }] },
    ];
    expect((await catalog(GOOD, ...tools).rules('--no-search')).sort()).toEqual([
      'name-clash a/invoices_open',
      'name-clash b/invoicesOpen',
      'twins a/invoices_open',
      'twins b/invoicesOpen',
      'twins c/unpaid_list',
    ]);
  });

  it('searches for each tool by its own words and lists which one is found instead', async () => {
    const read = { name: 'read_file', description: 'Read file.' };
    const { code, out } = await catalog(read, { ...read, name: 'read_text_file' }).run('-e', 'bm25');
    expect(out).toContain('  read_text_file: "Read file.": at rank 2, read_file is first\n');
    expect(code).toBe(0);
  });

  it('counts duplicate and unreadable tools as errors', async () => {
    const { run, rules } = catalog(GOOD, GOOD, { description: 'nameless', inputSchema: {} });
    expect(await rules()).toEqual(['unreadable', 'unreadable']);
    expect((await run('-e', 'bm25')).code).toBe(1);
  });

  it('checks the token budget of servers, including running ones', async () => {
    const { folder } = catalog(GOOD);
    const file = join(folder, '.mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { reports: manyToolsServer(20) } }));
    const env = { XDG_DATA_HOME: join(folder, 'data'), PATH: process.env.PATH ?? '' };
    const over = ['lint', '-m', file, '--no-search', '--max-tokens-per-server'];
    const { code, out } = await runCommand([...over, '100'], env);
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}reports: about [\d,]+ tokens, 100 allowed$/m);
    expect((await runCommand([...over, '100000'], env)).code).toBe(0);
  });

  it('fails on errors, on warnings only with --strict', async () => {
    const { run } = catalog(GOOD, { name: 'x_get', description: `Get ${'a letter '.repeat(600)}` });
    expect((await run('--no-search')).code).toBe(0);
    expect((await run('--no-search', '--strict')).code).toBe(1);
    expect((await run('-e', 'regex')).code).toBe(2);
  });

  it('writes SARIF with the line of each tool, and suggestions by tool', async () => {
    const { folder, file, run } = catalog(
      GOOD,
      {
        name: 'get_x',
        inputSchema: { type: 'object', properties: { letterCase: { type: 'string' } } },
      },
      { name: 'get_y', description: 'Gets it' },
    );
    const [sarif, fix] = [join(folder, 'lint.sarif'), join(folder, 'fix.json')];
    expect((await run('--no-search', '--sarif', sarif, '--fix', fix)).code).toBe(1);
    const { version, runs } = JSON.parse(readFileSync(sarif, 'utf8')) as {
      version: string;
      runs: { results: object[]; tool: { driver: object } }[];
    };
    expect(version).toBe('2.1.0');
    expect(runs[0]?.tool.driver).toMatchObject({ name: 'quartermaster lint', version: packageVersion() });
    expect(runs[0]?.results[0]).toMatchObject({
      ruleId: 'no-description',
      level: 'error',
      message: { text: 'get_x: has no description' },
      locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 2 } } }],
    });
    expect(JSON.parse(readFileSync(fix, 'utf8'))).toEqual({
      get_x: {
        description: 'Get x. Takes letterCase. Use it when …',
        parameters: { letterCase: 'The letter case of … (string)' },
        notes: [],
      },
      get_y: { description: 'Gets it. Get y. Use it when …', notes: [] },
    });
    expect((await run('--no-search', '--fix', folder)).code).toBe(2);
  });
});
