import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manyToolsServer } from '../serving/many-tools-server.fixture.ts';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';

function servers(mcpServers: object) {
  const folder = temporaryFolder();
  const file = join(folder, '.mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const env = { XDG_DATA_HOME: join(folder, 'data'), PATH: process.env.PATH ?? '' };
  return { folder, file, env };
}

describe('--mcp-config', () => {
  it('reads the tools of the servers that respond, and reports the others', async () => {
    const { file, env } = servers({ reports: manyToolsServer(3), gone: { command: 'no-such-program-anywhere' } });
    const costs = await runCommand(['inspect', '--json', '-m', file], env);
    expect(costs).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Starting \d servers?…\ngone does not respond: /),
    });
    expect(JSON.parse(costs.out)).toMatchObject({ tools: 3, servers: [{ server: 'reports' }] });
    const found = await runCommand(['search', 'select:report_2', '--json', '-e', 'bm25', '-m', file], env);
    expect(JSON.parse(found.out)).toMatchObject({ hits: [{ id: 'reports/report_2' }] });
  });

  it('uses the servers of the settings given by --config', async () => {
    const { folder, env } = servers({ reports: manyToolsServer(3) });
    const settings = join(folder, 'mine.yaml');
    writeFileSync(settings, 'mcpConfig: [.mcp.json]\n');
    const { out, err } = await runCommand(['inspect', '--json', '-c', settings], env);
    expect(JSON.parse(out)).toMatchObject({ tools: 3 });
    expect(err).toContain(`using the MCP servers in ${settings}.`);
  });

  it('measures queries against servers', async () => {
    const { folder, file, env } = servers({ reports: manyToolsServer(3) });
    const queries = join(folder, 'queries.jsonl');
    writeFileSync(queries, '{"query": "report_1", "relevant": ["reports/report_1"]}');
    const args = ['eval', '-m', file, '-q', queries, '-e', 'bm25', '--floor', 'hit@1=100', '--json'];
    const { code, out } = await runCommand(args, env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ tools: 3, all: { queries: 1 } });
  });

  it('refuses both kinds of catalog at once, and servers without tools', async () => {
    const { file, env } = servers({ gone: { command: 'no-such-program-anywhere' } });
    const both = await runCommand(['inspect', '-m', file, '-t', file], env);
    expect(both).toMatchObject({ code: 2, err: 'Give --tools or --mcp-config, not both\n' });
    const none = await runCommand(['inspect', '-m', file], env);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('no server lists any tools') });
  });

  it('says that a file from which init moved the servers has only Quartermaster', async () => {
    const { file, env } = servers({ quartermaster: { command: 'node', args: ['/x/quartermaster.js', 'mcp'] } });
    const { code, err } = await runCommand(['inspect', '-m', file], env);
    expect([code, err]).toEqual([
      2,
      `${file}: the only server is Quartermaster itself. Without --mcp-config, the servers that init moved are used\n`,
    ]);
  });

  it('without --tools, reads the servers that the settings name', async () => {
    const { folder, file, env } = servers({ reports: manyToolsServer(3) });
    const settings = join(folder, 'quartermaster.yaml');
    writeFileSync(settings, `mcpConfig: [${file}]\n`);
    const { out, err } = await runCommand(['inspect', '--json'], { ...env, QUARTERMASTER_CONFIG: settings });
    expect(err).toContain(`using the MCP servers in ${settings}.`);
    expect(JSON.parse(out)).toMatchObject({ tools: 3, servers: [{ server: 'reports' }] });
  });
});
