import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';
import { SAMPLES } from './client-files.fixture.ts';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** A home with the files of several clients. */
function home(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_DATA_HOME: join(folder, 'data'),
    PATH: process.env.PATH ?? '',
  };
  const settings = join(folder, 'quartermaster.yaml');
  const init = (...args: string[]) => runCommand(['init', '--config', settings, ...args], env);
  return { folder, settings, init };
}

const ALL = Object.fromEntries(SAMPLES.map(({ path, text }) => [path, text]));

describe('quartermaster init', () => {
  it('finds every client, moves their servers, writes the settings, and undoes it all', async () => {
    const { folder, settings, init } = home(ALL);
    const { code, out } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(out.match(/ moved\. Backup: /g)).toHaveLength(SAMPLES.length);
    const { mcpConfig } = { mcpConfig: loadConfig({ path: settings, env: {} }).files.slice(1) };
    expect(mcpConfig).toHaveLength(SAMPLES.length);
    expect(mcpConfig.every((file) => file.endsWith('servers.json'))).toBe(true);

    const undone = await init('--undo');
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining(`${settings} was deleted.`) });
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(settings)).toBe(false);
  });

  it('changes no client without being asked to, and names the command that does', async () => {
    const { folder, settings, init } = home(ALL);
    const { out } = await init('--no-cost');
    expect(out).toContain('Cursor is left as it is. Later: quartermaster mcp install cursor');
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(readFileSync(settings, 'utf8')).toContain(join(folder, '.cursor/mcp.json'));
  });

  it('moves the servers of opencode 2, which keeps them under mcp.servers', async () => {
    const path = '.config/opencode/opencode.jsonc';
    const text = '{\n  "mcp": {\n    "servers": { "one": { "type": "local", "command": ["one"] } }\n  }\n}\n';
    const { folder, init } = home({ [path]: text });
    expect((await init('--yes', '--no-cost')).out).toContain('opencode: 1 server moved');
    const { mcp } = JSON.parse(readFileSync(join(folder, path), 'utf8')) as { mcp: { servers: object } };
    expect(Object.keys(mcp)).toEqual(['servers']);
    expect(mcp.servers).toEqual({ quartermaster: { type: 'local', command: expect.any(Array) } });
    await init('--undo');
    expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
  });

  it('shows with --dry-run what would change, and changes nothing', async () => {
    const { folder, settings, init } = home(ALL);
    const { code, out } = await init('--yes', '--no-cost', '--dry-run');
    expect(code).toBe(0);
    expect(out.match(/would move \d+ servers? to /g)).toHaveLength(SAMPLES.length);
    expect(out).toContain(`${settings} would be written.\nNothing was changed (--dry-run).`);
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(settings)).toBe(false);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('shows what the tools cost: tokens, share of the window, money a day', async () => {
    const files = { command: process.execPath, args: [FILESYSTEM, '/tmp'] };
    const { init } = home({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { files } }) });
    const { out } = await init('--price', '10', '--requests', '1000');
    const [, tokens = '0'] = /take about ([\d,]+) tokens of every request, [\d.]+ %/.exec(out) ?? [];
    const dollars = ((Number(tokens.replaceAll(',', '')) * 1000 * 10) / 1_000_000).toFixed(2);
    expect(Number(dollars)).toBeGreaterThan(1);
    expect(out.replace(/\s+/g, ' ')).toContain(`At $10 a million tokens and 1,000 requests a day: $${dollars} a day`);
  });

  it('keeps settings that are there, and those that were changed since', async () => {
    const { settings, init } = home(ALL);
    await init('--no-cost');
    writeFileSync(settings, '# mine\n');
    expect((await init('--no-cost')).out).toContain(`${settings} exists and was kept.`);
    expect((await init('--undo')).out).toContain('was kept, since it was changed');
    expect(readFileSync(settings, 'utf8')).toBe('# mine\n');
  });

  it('a client that can not be changed keeps no other from it', async () => {
    const taken = { a: { command: 'a' }, quartermaster: { command: 'other' } };
    const { init } = home({ ...ALL, '.cursor/mcp.json': JSON.stringify({ mcpServers: taken }) });
    const { code, out } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(out).toContain('Cursor is left as it is: Cursor has another server called quartermaster; rename it first');
    expect(out.match(/ moved\. Backup: /g)).toHaveLength(SAMPLES.length - 1);
  });

  it('passes over a file that it can not read, and says when there is nothing', async () => {
    const { init } = home({ '.cursor/mcp.json': '{ "mcpServers": {' });
    const { code, out, err } = await init();
    expect([code, out]).toEqual([1, expect.stringContaining('No MCP servers found')]);
    expect(err).toContain('Cursor is skipped: ');
  });
});
