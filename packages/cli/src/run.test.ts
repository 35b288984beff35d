import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandIo } from './command-io.ts';
import { run } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'quartermaster-cli-'));
const file = (name: string): string => join(folder, name);

const MAIL = { name: 'send_email', description: 'Send an email', input_schema: { type: 'object', properties: {} } };
const PAY = { type: 'function', function: { name: 'createRefund', description: 'Give money back', parameters: {} } };
const LIST_PRINTED = { name: 'list_files', description: 'Show which documents a printer has printed today' };
const LIST = { name: 'list_files', description: 'List the files of a folder', inputSchema: { type: 'object' } };

beforeAll(() => {
  const files: Record<string, string | Uint8Array> = {
    'tools.json': JSON.stringify([MAIL, PAY, LIST], null, 2),
    'tools.jsonl': [MAIL, PAY, LIST].map((tool) => JSON.stringify(tool)).join('\n'),
    'tools.jsonl.gz': gzipSync([MAIL, PAY, LIST].map((tool) => JSON.stringify(tool)).join('\n')),
    'rpc.json': JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [LIST] } }),
    'servers.jsonl': `${JSON.stringify({ server: 'one', tools: [LIST] })}\n${JSON.stringify({ server: 'two', tools: [LIST_PRINTED] })}`,
    'nameless.json': JSON.stringify([MAIL, { description: 'x', inputSchema: {} }], null, 2),
    'nameless.jsonl': `${JSON.stringify(MAIL)}\n${JSON.stringify({ description: 'x', inputSchema: {} })}\n`,
    'number.jsonl': `${JSON.stringify(MAIL)}\n\n${JSON.stringify({ name: 'x', inputSchema: 5 })}\n`,
    'bare.json': '{}',
    'twice.jsonl': `${JSON.stringify(MAIL)}\n${JSON.stringify(MAIL)}\n`,
    'deep.json': `{"name": "x", "inputSchema": {"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    'long.jsonl': `{"name": "${'x'.repeat(100 * 1024 * 1024)}"}`,
    'broken.json': '[\n  {"name": "a"},\n  {"name": }\n]',
    'text.txt': 'not json at all',
    'empty.json': '',
    'none.json': '{"tools": []}',
    'cut.json.gz': gzipSync(JSON.stringify([MAIL])).subarray(0, 40),
    'queries.jsonl': '{"query": "send an email"}\n{"query": "zzzz qqqq"}\n',
    'labelled.jsonl': [
      '{"query": "send an email", "relevant": ["send_email"], "split": "plain"}',
      '{"query": "money back", "relevant": ["createRefund"], "split": "plain"}',
      '{"query": "qqqq zzzz", "relevant": [], "split": "nothing"}',
    ].join('\n'),
    'odd.jsonl': '{"query": "send (", "relevant": ["send_email"]}\n{"query": "pay", "relevant": ["gone"]}',
    'history.jsonl': '{"query": "refund a customer", "called": "LIST"}\n{"query": "fly", "called": ["rocket"]}',
    'unlabelled.jsonl': '{"query": "x", "relevant": "y"}',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('mcp', () => {
  it('lists its commands if the given one does not exist', async () => {
    const { code, err } = await qm(['mcp', 'bogus']);
    expect(code).toBe(2);
    expect(err).toContain('There is no command "mcp bogus". Commands: login, logout, accept, input, status');
  });

  it.each([
    [['help', 'nothing'], 'There is no command "nothing". Commands: init, '],
    [['help', 'mcp', 'nothing'], 'There is no command "mcp nothing". Commands: login, '],
    [['search', '--nothing'], 'Add --help to see what is allowed.'],
  ])('says what is allowed instead of %j', async (args, message) => {
    const { code, out, err } = await qm(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('shows the help of a subcommand', async () => {
    const { out } = await qm(['help', 'mcp', 'status']);
    expect(out).toMatch(/^Usage: quartermaster mcp status/);
  });
});

describe('search', () => {
  it.each(['tools.json', 'tools.jsonl', 'tools.jsonl.gz'])('finds a tool in %s', async (name) => {
    const { code, out } = await qm(['search', 'send an email', '--tools', file(name)]);
    expect(out).toMatch(/^ +1 {2}send_email/);
    expect(code).toBe(0);
  });

  it('reads several files and stdin', async () => {
    const args = ['search', 'list files', '--tools', file('rpc.json'), '-', '--json'];
    const { code, out } = await qm(args, { stdin: JSON.stringify([MAIL]) });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ engine: 'hybrid+reranker', reranker: { kind: 'used' }, verdict: 'match', hits: [{ id: 'list_files' }] },
    });
  });

  it('keeps tools of the same name on different servers apart', async () => {
    const { out } = await qm(['search', 'list_files', '--tools', file('servers.jsonl'), '--json']);
    const { hits } = JSON.parse(out) as { hits: { id: string; server: string; name: string }[] };
    expect(hits.map((hit) => hit.id).sort()).toEqual(['one/list_files', 'two/list_files']);
    expect(hits[0]?.name).toBe('list_files');
  });

  it('exits with 1 and a message if nothing fits', async () => {
    const { code, out } = await qm(['search', 'zzzz', 'qqqq', '--tools', file('tools.json')]);
    expect(out).toContain('No match.');
    expect(code).toBe(1);
  });

  it('accepts a regular expression', async () => {
    const { out } = await qm(['search', '^create[A-Z]', '--engine', 'regex', '--tools', file('tools.json'), '--json']);
    expect(JSON.parse(out)).toMatchObject({ hits: [{ name: 'createRefund' }] });
  });

  it('explains scores', async () => {
    const { out } = await qm(['search', 'send an email', '--explain', '--tools', file('tools.json')]);
    expect(out.split('\n').filter((line) => /^ {5,}\d+\.\d{3} {2}/.test(line)).length).toBeGreaterThan(1);
  });

  it('says why a tool is listed or not', async () => {
    const listed = await qm(['search', 'email', '--why', 'send_email', '--tools', file('tools.json')]);
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('send_email is listed, at rank 1') });
    const missing = await qm(['search', 'email', '--why', 'list_files', '--tools', file('tools.json')]);
    expect(missing).toMatchObject({ code: 1, out: expect.stringContaining('list_files is not listed') });
    const misspelt = await qm(['search', 'email', '--why', 'send_emial', '--tools', file('tools.json')]);
    expect(misspelt.err).toContain('no tool called "send_emial"; similar names: send_email');
    const unknown = await qm(['search', 'email', '--why', 'nope', '--tools', file('tools.json')]);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('"nope"') });
  });

  it('answers a batch with exactly one line per query', async () => {
    const args = ['search', '--batch', file('queries.jsonl'), '--tools', file('tools.json'), '--json'];
    const { code, out } = await qm(args);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        ...{ query: 'send an email', engine: 'hybrid+reranker', verdict: 'match', confidence: expect.any(Number) },
        reranker: { kind: 'used' },
        hits: [{ id: 'send_email', name: 'send_email', score: expect.any(Number) }],
      },
      { query: 'zzzz qqqq', engine: 'hybrid+reranker', hits: [], verdict: 'none', confidence: 0 },
    ]);
    expect(code).toBe(0);
  });

  it('distinguishes tools with the same name in a batch, and explains scores there too', async () => {
    const args = ['search', '--batch', '-', '--tools', file('servers.jsonl'), '--json', '--explain'];
    const { out } = await qm(args, { stdin: '{"query":"list_files"}' });
    const { hits } = JSON.parse(out) as { hits: { id: string; server: string; explanation?: { value: number } }[] };
    expect(hits.map(({ id, server }) => [id, server]).sort()).toEqual([
      ['one/list_files', 'one'],
      ['two/list_files', 'two'],
    ]);
    expect(hits[0]?.explanation?.value).toBeGreaterThan(0);
  });

  it('reports unresolved operators on stderr, or in the JSON', async () => {
    const args = ['search', 'server:nope', '+zzzz', 'email', '--tools', file('tools.json')];
    const told = await qm(args);
    expect(told.err).toBe('Searched as plain words, because nothing in the catalog matches it: server:nope, +zzzz\n');
    const single = await qm([...args, '--json']);
    expect(single.err).toBe('');
    expect(JSON.parse(single.out)).toMatchObject({ unresolved: ['server:nope', '+zzzz'] });
    const batch = ['search', '--batch', '-', '--tools', file('tools.json')];
    const stdin = '{"query":"select:\\u001b[2Jnope"}\n{"query":"+email"}';
    expect((await qm(batch, { stdin })).err).toBe(
      'Searched as plain words, because nothing in the catalog matches it: select: [2Jnope\n',
    );
    const lines = (await qm([...batch, '--json'], { stdin })).out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { unresolved?: string[] }).unresolved)).toEqual([
      ['select:\u001b[2Jnope'],
      undefined,
    ]);
  });

  it('answers even if stderr is closed', async () => {
    const stderr = new Writable({ write: (_, __, done) => done(new Error('write EPIPE')) });
    const out = collector(false);
    const io = { stdin: new PassThrough(), stdout: out.stream, stderr, env: {} };
    expect(await run(['search', 'create a pull request'], io)).toBe(0);
    expect(out.text()).toContain('pull_request');
    expect(await run(['search', 'x', '--tools', file('missing.json')], io)).toBe(2);
  });

  it('reports a malformed pattern of a batch on its line and in the exit status', async () => {
    const args = ['search', '--batch', '-', '--engine', 'regex', '--tools', file('tools.json'), '--json'];
    const { code, out } = await qm(args, { stdin: '{"query":"("}\n{"query":"send"}\n' });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ query: '(', hits: [], verdict: 'none' }, { hits: [{ name: 'send_email' }] }]);
    expect(code).toBe(2);
  });

  it('uses the sample catalog when none is named, and says so', async () => {
    const { code, out, err } = await qm(['search', 'create a pull request']);
    expect(err).toMatch(/sample catalog \(\d{3} tools of \d\d services\)/);
    expect(out).toContain('pull_request');
    expect(code).toBe(0);
  });

  it('is plain in a pipe and coloured in a terminal, unless NO_COLOR is set', async () => {
    const args = ['search', 'email', '--tools', file('tools.json')];
    const colour = '\u001b[';
    expect((await qm(args)).out).not.toContain(colour);
    expect((await qm(args, { isTTY: true })).out).toContain(colour);
    expect((await qm(args, { isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain(colour);
  });

  it('a description cannot write control characters to the terminal', async () => {
    const stdin = JSON.stringify([{ name: 'evil', description: 'evil\u001b[2J\u0007 text', inputSchema: {} }]);
    const { out } = await qm(['search', 'evil', '--tools', '-'], { stdin });
    expect(out).toContain('evil [2J text');
    expect(out).not.toContain('\u001b');
  });
});

describe('bad input gets one sentence with file and line, and status 2', () => {
  it.each([
    ['text.txt', /text\.txt:1: invalid JSON at "not json at all"/],
    ['broken.json', /broken\.json:3: invalid JSON/],
    ['nameless.json', /nameless\.json:10: this tool can't be read: it has no name/],
    ['nameless.jsonl', /nameless\.jsonl:2: this tool can't be read: it has no name/],
    ['bare.json', /bare\.json:1: this tool can't be read: it has no name, and its fields \(none\)/],
    ['number.jsonl', /number\.jsonl:3: tool "x" can't be read: its inputSchema is 5, not a JSON Schema object/],
    ['twice.jsonl', /twice\.jsonl:2: tool "send_email" is already defined at .*twice\.jsonl:1/],
    ['deep.json', /deep\.json:1: tool "x" can't be read: it nests deeper than 256 levels/],
    ['long.jsonl', /long\.jsonl:1: the line is longer than 64 MiB/],
    ['cut.json.gz', /cut\.json\.gz: the gzip data is broken/],
    ['missing.json', /missing\.json: there is no such file/],
    ['.', /: this is a directory/],
    ['empty.json', /empty\.json: no tools found/],
    ['none.json', /none\.json: no tools found/],
  ])('%s', async (name, message) => {
    const { code, out, err } = await qm(['search', 'x', '--tools', file(name)]);
    expect(err).toMatch(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it.each([
    [['search'], /The query is missing/],
    [['search', 'x', '--limit', '0'], /1 to 50/],
    [['search', 'x', '--limit', 'many'], /1 to 50/],
    [['search', 'x', '--engine', 'magic'], /hybrid\+reranker, bm25, semantic, regex/],
    [['search', 'x', '--batch', 'y'], /not both/],
    [['search', '(', '--engine', 'regex'], /\(/],
    [['eval', '--tools', 'x'], /need --queries/],
    [['eval', '--config', 'mine.yaml'], /--config need --queries/],
    [['eval', '--tools', '-', '--queries', '-'], /Only one of --tools and --queries can be read from stdin/],
    [['inspect', '--context', '-5'], /whole number/],
    [['serch', 'x'], /unknown command/],
    [['search', 'x', '--nope'], /unknown option/],
  ])('%j', async (argv, message) => {
    const { code, err, out } = await qm(argv);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it('an oversized catalog is rejected with the limit and how to raise it', async () => {
    const { code, err } = await qm(['search', 'x', '--tools', file('tools.jsonl'), '--max-tools', '2']);
    expect(err).toMatch(/tools\.jsonl:3: more than 2 tools; raise the limit with --max-tools/);
    expect(code).toBe(2);
  });

  it('--skip-bad reports which tools of a list it left out', async () => {
    const stdin = JSON.stringify([
      { name: 'a', inputSchema: 1 },
      { inputSchema: {} },
      { name: 'b', inputSchema: 2 },
      MAIL,
    ]);
    const { code, err } = await qm(['search', 'email', '--tools', '-', '--skip-bad'], { stdin });
    expect(err.split('\n').slice(1, 4)).toEqual([
      `  (stdin):1: tool "a" can't be read: its inputSchema is 1, not a JSON Schema object`,
      `  (stdin):1: tool 2 can't be read: it has no name`,
      `  (stdin):1: tool "b" can't be read: its inputSchema is 2, not a JSON Schema object`,
    ]);
    expect(code).toBe(0);
  });

  it('a batch without queries is bad input, not an answer', async () => {
    const args = ['search', '--batch', file('empty.json'), '--tools', file('tools.json')];
    const { code, err, out } = await qm(args);
    expect(err).toMatch(/empty\.json: no queries found/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('a malformed pattern is reported with its position', async () => {
    const { code, err } = await qm(['search', 'a(', '--engine', 'regex', '--tools', file('tools.json')]);
    expect(err).toBe('The pattern "a(" is malformed: missing ), unterminated subpattern at position 1\n');
    expect(code).toBe(2);
  });

  it('--skip-bad continues and counts what it skips', async () => {
    const args = ['search', 'email', '--tools', file('number.jsonl'), file('twice.jsonl'), '--skip-bad'];
    const { code, out, err } = await qm(args);
    expect(out).toContain('send_email');
    expect(err).toMatch(/Left out 3 tools/);
    expect(code).toBe(0);
  });

  it('a queries file is checked the same way', async () => {
    const { code, err } = await qm(['eval', '--tools', file('tools.json'), '--queries', file('unlabelled.jsonl')]);
    expect(err).toMatch(/unlabelled\.jsonl:1: "relevant" must be a list/);
    expect(code).toBe(2);
  });
});

describe('eval', () => {
  it('prints a table per split', async () => {
    const { code, out } = await qm(['eval', '--tools', file('tools.json'), '--queries', file('labelled.jsonl')]);
    expect(out).toMatch(/^plain +2 +100\.0/m);
    expect(out).toMatch(/^nothing +1 +100\.0/m);
    expect(out).not.toContain('NaN');
    expect(code).toBe(0);
  });

  it('writes JSON', async () => {
    const args = ['eval', '--tools', file('tools.json'), '--queries', file('labelled.jsonl'), '--json', '-e', 'bm25'];
    const report = JSON.parse((await qm(args)).out) as object;
    expect(report).toMatchObject({
      engine: 'bm25',
      tools: 3,
      all: { queries: 2, scores: { hit1: { mean: 1 } }, unanswerable: { queries: 1, refused: { mean: 1 } } },
    });
  });
});

describe('eval with a history of calls', () => {
  const measured = (...rest: string[]) =>
    qm(['eval', '--tools', file('tools.json'), '--queries', file('labelled.jsonl'), '--history', ...rest]);

  it('measures each engine before and after learning, separately for tools with and without history', async () => {
    const { code, out, err } = await measured(file('history.jsonl'), '-e', 'hybrid', '--json');
    expect(JSON.parse(out)).toMatchObject({
      engines: [{ engine: 'hybrid' }, { engine: 'hybrid, learned', splits: { 'tools without history': {} } }],
    });
    expect(err).toContain('the catalog has no such tool');
    expect(code).toBe(0);
  });

  it('rejects engines that do not learn, and files that are not a history', async () => {
    expect((await measured(file('history.jsonl'), '-e', 'bm25')).err).toMatch(/hybrid and hybrid\+reranker learn/);
    expect((await measured(file('labelled.jsonl'))).err).toMatch(/"called" must be the name of a tool/);
  });
});

describe('eval, beside its figures', () => {
  const measured = (...rest: string[]) => qm(['eval', '--tools', file('tools.json'), '--queries', ...rest]);

  it('prints the figures even if the picture cannot be written', async () => {
    const picture = file('no/such/folder.svg');
    const { code, out, err } = await measured(file('labelled.jsonl'), '-e', 'bm25', '--picture', picture);
    expect(out).toMatch(/^plain +2 +100\.0/m);
    expect(err).toMatch(new RegExp(`^${picture}: the picture can't be written \\(.*ENOENT.*\\)\n$`));
    expect(code).toBe(2);
  });

  it('fails if a figure is below its floor, after all figures are written', async () => {
    const met = await measured(file('labelled.jsonl'), '-e', 'bm25', '--floor', 'recall@5=100');
    expect(met).toMatchObject({ code: 0, err: '' });
    const missed = await measured(file('odd.jsonl'), '-e', 'bm25', '--floor', 'recall@5=80,hit@1=50');
    expect(missed.err).toBe('Below the floor with bm25: recall@5 is 50.0, below 80\n');
    expect(missed).toMatchObject({ code: 1, out: expect.stringContaining('recall@5') });
    const unknown = await measured(file('odd.jsonl'), '--floor', 'recall@6=80');
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('Allowed: hit@1, ') });
  });

  it('draws the picture', async () => {
    const picture = file('engines.svg');
    expect((await measured(file('labelled.jsonl'), '-e', 'bm25', '--picture', picture)).code).toBe(0);
    expect(readFileSync(picture, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it('reports malformed queries and unknown labels once for several engines', async () => {
    const { out } = await measured(file('odd.jsonl'), '-e', 'bm25,regex');
    expect(out.match(/1 relevant tool is not in the catalog and counts as not found/g)).toHaveLength(1);
    expect(out.match(/1 query was refused by the engine regex as malformed/g)).toHaveLength(1);
  });
});

describe('inspect', () => {
  it('shows what a catalog costs and what deferral saves', async () => {
    const { code, out } = await qm(['inspect', '--context', '128000']);
    expect(out).toMatch(/\d{3} tools cost about [\d,]+ tokens, [\d.]+% of a context window of 128,000/);
    expect(out).toContain('█');
    expect(out).toMatch(/^bridge +[\d,]+ +[\d,]+ +[\d.]+% +[\d.]+%$/m);
    expect(out).toMatch(/^By default: deferred\. The deferrable definitions take about [\d,]+ tokens, /m);
    expect(code).toBe(0);
  });

  it('says if deferral would cost more than it saves', async () => {
    const { out } = await qm(['inspect', '--tools', file('tools.json')]);
    expect(out).toMatch(/^bridge +[\d,]+ +[\d,]+ +[\d.]+% +nothing$/m);
    expect(out).toContain('An answer of 3 tools adds about');
  });

  it('writes JSON with every tool in it', async () => {
    const { out } = await qm(['inspect', '--tools', file('tools.json'), '--json']);
    const costs = JSON.parse(out) as { tokens: number; byTool: { tokens: number }[] };
    expect(costs.byTool).toHaveLength(3);
    expect(costs.byTool.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(costs.tokens);
  });
});

describe('demo', () => {
  it('tours the sample catalog and ends with hints in a pipe', async () => {
    const { code, out } = await qm(['demo']);
    expect(out).toMatch(/all tools inline +[\d,]+ tokens/);
    expect(out.match(/^› /gm)).toHaveLength(3);
    expect(out).toContain('What to try next');
    expect(code).toBe(0);
  });

  it('answers questions in a terminal', async () => {
    const stdin = 'upload a file to a bucket\n:why nope\n:what\n:quit\n';
    const { code, out } = await qm(['demo'], { stdin, isTTY: true, env: { NO_COLOR: '1' } });
    expect(out).toContain('Your turn');
    expect(out).toContain('The catalog has no tool called "nope"');
    expect(out).toContain('Unknown command :what');
    expect(out).toMatch(/^ +1 {2}upload/m);
    expect(code).toBe(0);
  });
});

describe('work that takes long', () => {
  const tools = ['--tools', file('tools.json')];
  const CLEAR = '\r\u001b[K';

  it.each([
    [
      ['search', 'send an email', ...tools],
      ['Loading the search engine', 'Searching'],
    ],
    [
      ['lint', ...tools],
      ['Loading the search engine', 'Searching for each tool'],
    ],
    [
      ['eval', ...tools, '--queries', file('labelled.jsonl'), '-e', 'bm25,hybrid'],
      ['Preparing bm25', 'Calculating the figures of bm25', 'Preparing hybrid', 'Calculating the figures of hybrid'],
    ],
    [
      ['doctor', 'send an email', ...tools],
      ['Loading the search engine', 'Searching'],
    ],
    [['doctor', '--store', ':memory:'], ['Checking the installation']],
  ])('is named on a terminal while it runs: %j', async (args, steps) => {
    const { err } = await qm(args, { showsProgress: true, env: { HOME: folder, PATH: process.env.PATH ?? '' } });
    const shown = err.split(CLEAR);
    expect(shown.filter((text) => text.endsWith('…'))).toEqual(steps.map((step) => `${step}…`));
    // Its line is erased before anything else is written.
    expect(shown.at(-1)).toBe('');
    expect((await qm(args, { env: { HOME: folder } })).err).not.toContain('\u001b');
  });
});

describe('the command', () => {
  it('prints help on stdout with status 0 for every command', async () => {
    for (const command of [[], ['search'], ['eval'], ['inspect'], ['lint'], ['doctor'], ['serve'], ['mcp']]) {
      const { code, out, err } = await qm([...command, '--help']);
      expect(out).toContain('Exit status:');
      expect(out).toContain('Examples:');
      expect(err).toBe('');
      expect(code).toBe(0);
    }
    expect((await qm(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(['', 'search', 'eval', 'inspect', 'lint', 'doctor', 'config check', 'completion'])(
    'has help for "%s" that fits 80 columns',
    async (command) => {
      const out = collector(false);
      const io = {
        stdin: new PassThrough(),
        stdout: Object.assign(out.stream, { columns: 80 }),
        stderr: out.stream,
        env: {},
      };
      await run([...command.split(' ').filter((word) => word !== ''), '--help'], io);
      expect(
        out
          .text()
          .split('\n')
          .filter((line) => line.length > 80),
      ).toEqual([]);
    },
  );

  it('works as an installed program', async () => {
    const bin = fileURLToPath(new URL('../bin/quartermaster.js', import.meta.url));
    const start = (args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
      new Promise((resolve) => {
        execFile(process.execPath, [bin, ...args], (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code), out, err }),
        );
      });
    const found = await start(['search', 'send an email', '--tools', file('tools.jsonl.gz'), '--json']);
    expect(JSON.parse(found.out)).toMatchObject({ verdict: 'match', hits: [{ name: 'send_email' }] });
    expect(found.code).toBe(0);
    const broken = await start(['search', 'x', '--tools', file('broken.json')]);
    expect(broken).toMatchObject({ code: 2, out: '' });
    expect(broken.err.trimEnd().split('\n')).toHaveLength(1);
  });
});

interface Surroundings {
  readonly stdin?: string;
  /** Whether stderr is a terminal, which is shown what takes long. @default false */
  readonly showsProgress?: boolean;
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

async function qm(
  argv: readonly string[],
  { stdin = '', isTTY = false, env = {}, showsProgress = false }: Surroundings = {},
): Promise<{ code: number; out: string; err: string }> {
  const out = collector(isTTY);
  const err = collector(showsProgress);
  const input = Object.assign(new PassThrough(), { isTTY });
  input.write(stdin);
  // A terminal stays open until the program has had enough.
  if (!isTTY) input.end();
  const io: CommandIo = { stdin: input, stdout: out.stream, stderr: err.stream, env };
  const code = await run(argv, io);
  return { code, out: out.text(), err: err.text() };
}

function collector(isTTY: boolean): { stream: CommandIo['stdout']; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: 100 }), text: () => chunks.join('') };
}
