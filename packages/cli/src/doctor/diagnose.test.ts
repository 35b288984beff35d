import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manyToolsServer } from '../serving/many-tools-server.fixture.ts';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';

interface Report {
  readonly problems: number;
  readonly checks: readonly {
    readonly area: string;
    readonly status: string;
    readonly message: string;
    fix?: string;
  }[];
}

function machine(mcpServers: object = {}, variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const file = join(folder, '.mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o644 });
  const data = join(folder, 'data');
  const env = { HOME: folder, XDG_DATA_HOME: data, PATH: process.env.PATH ?? '', ...variables };
  const doctor = (...args: string[]) => runCommand(['doctor', ...args, '-m', file], env);
  return {
    ...{ folder, file, env, doctor, store: join(data, 'quartermaster', 'store.db') },
    async problems(...args: string[]) {
      const { out } = await doctor('--json', ...args);
      const { checks } = JSON.parse(out) as Report;
      return checks
        .filter(({ status }) => status === 'problem')
        .map(({ area, message, fix }) => `${area}: ${message} → ${fix}`);
    },
  };
}

describe('quartermaster doctor', () => {
  it('reports the engine, deferral, savings and servers, and exits with 0 if nothing is wrong', async () => {
    const { doctor } = machine({ reports: manyToolsServer(60) });
    const { code, out } = await doctor('--context', '8192');
    const text = out.replace(/\s+/g, ' ');
    expect(text).toMatch(/^Nothing is wrong\. ✓ engine: \S+ \(search\.engine is auto, /);
    expect(text).toMatch(/60 tools take about [\d,]+ tokens; deferral is on and keeps [\d,]+ of them out/);
    expect(text).toMatch(/✓ servers: reports responds: 60 tools, [\d,]+ tokens/);
    expect(text).toContain('✓ store: reachable and writable');
    expect(code).toBe(0);
  });

  it('reports deferral for a small catalog if the settings name a form', async () => {
    const { folder, doctor } = machine({ reports: manyToolsServer(60) });
    const settings = join(folder, 'form.yaml');
    writeFileSync(settings, 'mcp: { form: bridge }');
    const { out } = await doctor('--config', settings);
    expect(out.replace(/\s+/g, ' ')).toMatch(/deferral is on and keeps [\d,]+ of them out .* mcp\.form is bridge\./);
  });

  it('reports a server that does not respond, with a fix, and exits with 1', async () => {
    const { doctor, file, problems } = machine({ gone: { command: 'no-such-program-anywhere' } });
    expect(await problems()).toEqual([
      `servers: gone does not respond: its command "no-such-program-anywhere" was not found → install it, or correct its entry in ${file}`,
    ]);
    const broken = machine({ broken: { command: 'node', args: ['-e', 'process.exit(3)'] } });
    expect(await broken.problems()).toEqual([
      expect.stringMatching(
        /^servers: broken does not respond: .+ → run its command in a terminal to see the error, then/,
      ),
    ]);
    const unset = machine({ unset: { command: 'node', env: { TOKEN: `\${NOT_SET}` } } });
    expect(await unset.problems()).toEqual([
      expect.stringMatching(/NOT_SET, which is not set → set it, or write .+; its entry is in .+\.mcp\.json$/),
    ]);
    const { code, out } = await doctor();
    expect([code, out]).toEqual([1, expect.stringMatching(/^1 problem found\.\n\n✗ servers: gone/)]);
  });

  it('gives the command that answers an input as the fix, with the file', async () => {
    const { file, problems } = machine({ secret: { command: 'one', env: { TOKEN: `\${input:token}` } } });
    expect(await problems()).toEqual([
      `servers: secret can't be used: mcpServers.secret.env.TOKEN needs the input "token" → quartermaster mcp input --mcp-config ${file}`,
    ]);
  });

  it('says that tools of several files are not sent together', async () => {
    const { folder, doctor } = machine({ reports: manyToolsServer(3) });
    const other = join(folder, 'other.json');
    writeFileSync(other, JSON.stringify({ mcpServers: { more: manyToolsServer(3) } }));
    const { out } = await doctor('-m', other);
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /6 tools from 2 files take about \d+ tokens together, but a client sends only those of its own file\. For a client with all of them: they are/,
    );
  });

  it("reports an entry that can't be used, even if another client's server has its name", async () => {
    const unanswered = { command: 'one', env: { TOKEN: `\${input:token}` } };
    const { folder, file, doctor, problems } = machine({ secret: unanswered, same: manyToolsServer(3) });
    const earlier = join(folder, 'earlier.json');
    const mcpServers = { secret: manyToolsServer(2), same: manyToolsServer(2) };
    writeFileSync(earlier, JSON.stringify({ mcpServers }), { mode: 0o644 });
    expect(await problems('-m', earlier)).toEqual([
      `servers: secret in ${file} can't be used: mcpServers.secret.env.TOKEN needs the input "token" → quartermaster mcp input --mcp-config ${file}`,
    ]);
    const { out } = await doctor('-m', earlier);
    expect(out.replace(/\s+/g, ' ')).toContain(
      `· servers: not checked, because an earlier file has another server of that name: same in ${file}.`,
    );
  });

  it.each([
    [{ ENABLE_TOOL_SEARCH: 'false' }, /ENABLE_TOOL_SEARCH=false in the environment .* → unset it/],
    [
      { ANTHROPIC_BASE_URL: 'https://me:secret@proxy.example/v1' },
      /points to proxy\.example; .* → also set ENABLE_TOOL_SEARCH=true/,
    ],
    [{ CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1' }, /switches tool search off in Claude Code → unset/],
  ])('finds what switches deferral off: %j', async (variables, message) => {
    expect(await machine({}, variables).problems()).toEqual([expect.stringMatching(message)]);
  });

  it('accepts another address if tool search is on, and the address of Anthropic', async () => {
    const elsewhere = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787', ENABLE_TOOL_SEARCH: 'true' };
    expect(await machine({}, elsewhere).problems()).toEqual([]);
    expect(await machine({}, { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' }).problems()).toEqual([]);
  });

  it("reads the variables in Claude Code's own settings, and says if it cannot", async () => {
    const { folder, problems } = machine();
    mkdirSync(join(folder, '.claude'));
    const settings = join(folder, '.claude', 'settings.json');
    writeFileSync(settings, JSON.stringify({ env: { ENABLE_TOOL_SEARCH: 'false' } }));
    expect(await problems()).toEqual([expect.stringContaining(`ENABLE_TOOL_SEARCH=false in ${settings}`)]);
    writeFileSync(settings, '{');
    expect(await problems()).toEqual([expect.stringContaining(`${settings} is not valid JSON`)]);
  });

  it('finds files that other users can read or change', async () => {
    const { file, store, problems } = machine();
    await problems();
    chmodSync(store, 0o644);
    chmodSync(file, 0o666);
    expect(await problems()).toEqual([
      `permissions: other users can read ${store} → chmod 600 ${store}`,
      expect.stringMatching(/^permissions: other users can change .* → chmod go-w /),
    ]);
  });

  it('still checks the servers if the store cannot be opened', async () => {
    const { folder, doctor } = machine({ reports: manyToolsServer(2) });
    const { code, out } = await doctor('--store', join(folder, '.mcp.json', 'store.db'));
    expect(code).toBe(1);
    expect(out).toMatch(/✗ store: .*\n(?: .*\n)* {2}Fix: make its folder writable/);
    expect(out).toContain('✓ servers: reports responds');
  });

  it('rejects unreadable settings, and a tool without a request', async () => {
    const { folder, doctor } = machine();
    const settings = join(folder, 'bad.yaml');
    writeFileSync(settings, 'listen: [');
    expect((await doctor('--config', settings)).code).toBe(2);
    expect(await doctor('--tool', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('need a request') });
  });
});

describe('quartermaster doctor with a request', () => {
  const mail = { name: 'gmail_send', description: 'Send an email to somebody', inputSchema: { type: 'object' } };
  const pay = { name: 'create_refund', description: 'Give money back to a customer', inputSchema: { type: 'object' } };

  function ask(...args: string[]) {
    const { folder, env } = machine();
    const tools = join(folder, 'tools.json');
    writeFileSync(tools, JSON.stringify([mail, pay]));
    return runCommand(['doctor', ...args, '--tools', tools], env);
  }

  it('says first that the tool is found, and why', async () => {
    const { code, out } = await ask('send', 'an', 'email', '--tool', 'gmail_send');
    expect([code, out]).toEqual([0, expect.stringMatching(/^gmail_send is listed, at rank 1:\n +\d/)]);
  });

  it('says why it is not, what is found instead, and what to do', async () => {
    const { code, out } = await ask('send an email', '--tool', 'create_refund');
    expect(code).toBe(1);
    expect(out).toMatch(/^create_refund is not listed: [\s\S]+What is found for it:\n +1 {2}gmail_send[\s\S]+Fix: /);
  });

  it('suggests similar names if there is no tool of that name', async () => {
    const { code, out } = await ask('send an email', '--tool', 'gmail_sent');
    expect(code).toBe(1);
    expect(out).toMatch(/^"gmail_sent" is not found: no tool .*\s+Similar\s+names:\s+gmail_send\./);
    const json = await ask('send an email', '--json', '--tool', 'gmail_sent');
    expect(JSON.parse(json.out)).toMatchObject({ found: false, nearest: ['gmail_send'], hits: [{ id: 'gmail_send' }] });
  });

  it('searches the tools of servers, and without servers the sample catalog', async () => {
    const { doctor, env } = machine({ reports: manyToolsServer(3) });
    expect((await doctor('select:report_2', '--tool', 'report_2')).code).toBe(0);
    const misspelt = await runCommand(['doctor', 'send an email', '--tool', 'gmail/send_mesage'], env);
    expect(misspelt.out.replace(/\s+/g, ' ')).toContain('Similar names: gmail/send_message,');
    const sample = await runCommand(['doctor', 'send an email', '--tool', 'gmail/send_message'], env);
    expect(sample).toMatchObject({ code: 0, out: expect.stringMatching(/^gmail\/send_message is listed/) });
    expect(sample.err).toContain('using the sample catalog');
    const silent = await machine({ gone: { command: 'no-such-program-anywhere' } }).doctor('send an email');
    expect(silent).toMatchObject({ code: 2, err: expect.stringContaining('No server lists any tools') });
  });

  it('suggests a fix for a remote server', async () => {
    const [problem = ''] = await machine({ remote: { url: 'http://127.0.0.1:1/mcp' } }).problems();
    expect(problem).toMatch(
      /→ check that it can be reached from this machine, and the URL of its entry in .*\.mcp\.json$/,
    );
  });

  it.each([
    ['2.1.3', {}, 'Claude Code 2.1.3 has no tool search of its own; it came with 2.1.7 → claude update'],
    [
      '2.1.100',
      {},
      "Claude Code 2.1.100 may hide Quartermaster's tools behind its own search: it does not know alwaysLoad, which came with 2.1.121 → claude update",
    ],
    [
      '2.1.240',
      { ANTHROPIC_BASE_URL: 'http://gateway.example.com' },
      'ANTHROPIC_BASE_URL in the environment points to gateway.example.com; Claude Code 2.1.240 may then switch tool search off → also set ENABLE_TOOL_SEARCH=true',
    ],
    ['2.1.325', { ANTHROPIC_BASE_URL: 'http://gateway.example.com' }, undefined],
  ])('knows what version %s of Claude Code does', async (version, variables, problem) => {
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`, { mode: 0o755 });
    const { problems } = machine({}, { ...variables, PATH: `${programs}:${process.env.PATH}` });
    expect(await problems()).toEqual(problem === undefined ? [] : [`client: ${problem}`]);
  });

  it('does not suggest permissions for a store that is no database', async () => {
    const { folder, problems } = machine();
    const store = join(folder, 'notes.db');
    writeFileSync(store, 'not a database, but some other text', { mode: 0o600 });
    expect(await problems('--store', store)).toEqual([
      expect.stringMatching(
        /^store: .*file is not a database.* → do what the message says, or name another file with --store$/,
      ),
    ]);
  });
});
