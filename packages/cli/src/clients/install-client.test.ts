import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, loadConfig } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';
import { applyInstall, freeServersFile } from './apply-install.ts';
import { serversIn } from './client-file.ts';
import { type ClientFileSample, SAMPLES } from './client-files.fixture.ts';
import { editServers } from './edit-servers.ts';
import { CLIENTS } from './known-clients.ts';
import { openLedger } from './ledger.ts';
import { findPlaces } from './places.ts';
import { planInstall } from './plan-install.ts';

const LINUX = { GH: 'g', TRACKER: 't', TOKEN: 'k', JIRA: 'j' };

/** A home with one client's file in it. */
function home({ path, text }: Pick<ClientFileSample, 'path' | 'text'>) {
  const folder = temporaryFolder();
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o640 });
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, '.config'), XDG_DATA_HOME: join(folder, 'data') };
  const command = (...args: string[]) => runCommand(['mcp', ...args], env);
  return { folder, file, env, command };
}

function sampleOf(client: string): ClientFileSample {
  const sample = SAMPLES.find((one) => one.client === client);
  if (sample === undefined) throw new Error(`no sample of ${client}`);
  return sample;
}

/** The servers as the client's own file has them, and as Quartermaster reads them afterwards. */
function load(file: string, env: Readonly<Record<string, string>>): Config {
  const known = { ...LINUX, ...env, QUARTERMASTER_WORKSPACE: '/w' };
  return loadConfig({ folder: dirname(file), env: known, flags: { mcpConfig: [file] }, answers: () => 'answer' });
}

it('the samples cover every client', () => {
  expect(SAMPLES.map(({ client }) => client)).toEqual(CLIENTS.map(({ id }) => id));
});

describe.each(SAMPLES)('$client', (sample) => {
  const { client, text, moved, stays = [] } = sample;

  it('has its servers moved behind Quartermaster, and everything restored byte for byte', async () => {
    const { file, env, command } = home(sample);
    const mode = statSync(file).mode;
    const { code, out } = await command('install', client, '--yes', '--no-cost');
    expect(out).toContain('moved. Restart');
    expect(code).toBe(0);
    const after = serversIn(file, readFileSync(file, 'utf8'));
    expect(after?.servers.map(({ name }) => name).sort()).toEqual(
      [...stays.map((name) => name.replace('[1]', '[0]')), 'quartermaster'].sort(),
    );
    const servers = join(env.XDG_DATA_HOME, 'quartermaster', 'clients', client, 'servers.json');
    expect(Object.keys(JSON.parse(readFileSync(servers, 'utf8')).mcpServers)).toEqual(moved);
    expect(statSync(servers).mode & 0o777).toBe(0o600);

    expect(await command('uninstall')).toMatchObject({ code: 0, out: expect.stringContaining(': restored') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode).toBe(mode);
    expect(existsSync(servers)).toBe(false);
    expect(await command('uninstall')).toMatchObject({
      code: 1,
      err: 'Nothing to restore: Quartermaster has not moved the servers of any client.\n',
    });
  });

  it('keeps its servers and restrictions in the new file', async () => {
    const { file, env, command } = home(sample);
    writeFileSync(join(dirname(file), '.env'), 'A=1\n');
    const before = load(file, env);
    await command('install', client, '--yes', '--no-cost');
    const servers = join(env.XDG_DATA_HOME, 'quartermaster', 'clients', client, 'servers.json');
    const after = load(servers, env);
    expect(after.unusableServers).toEqual([]);
    const expands = CLIENTS.find(({ id }) => id === client)?.expandsVariables;
    // A client that fills in nothing hands references on to the program as they are.
    if (expands === true) expect(after.mcpServers).toEqual(before.mcpServers);
    else expect(Object.keys(after.mcpServers)).toEqual(Object.keys(before.mcpServers));
  });

  it('keeps later changes, and gets its servers back', async () => {
    const { file, command } = home(sample);
    await command('install', client, '--yes', '--no-cost');
    const addition = file.endsWith('.json') ? '\n\n' : '\n# later\n';
    writeFileSync(file, `${readFileSync(file, 'utf8')}${addition}`);
    const { out } = await command('uninstall', client);
    expect(out).toContain('has changed since, so only its servers were restored');
    const now = readFileSync(file, 'utf8');
    expect(now.endsWith(addition) || now.includes('# later')).toBe(true);
    const names = (content: string) =>
      (serversIn(file, content)?.servers ?? []).map(({ name }) => name.replace(/\[\d\]/, '')).sort();
    expect(names(now)).toEqual(names(text));
    if (file.endsWith('.json')) expect(now).toBe(text + addition);
  });

  it('is not changed by --dry-run, which shows the diff', async () => {
    const { file, command, env } = home(sample);
    const { out } = await command('install', client, '--dry-run', '--no-cost');
    expect(out).toMatch(/^\+ .*quartermaster/m);
    expect(out).toContain('Nothing was changed.');
    expect(out).not.toContain('hunter2');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(join(env.XDG_DATA_HOME, 'quartermaster', 'clients'))).toBe(false);
  });
});

describe('mcp install', () => {
  it('leaves no stray comma after the last server', () => {
    const text = '{\n  "servers": {\n    "a": { "command": "a" },\n    "b": { "command": "b" },\n  }\n}\n';
    const add = { quartermaster: { command: 'node' } };
    const edited = editServers('mcp.json', text, { block: ['servers'], remove: ['a', 'b'], add });
    expect(edited).not.toMatch(/^\s*,/m);
    expect(edited).toContain('"quartermaster"');
  });

  it('asks before it changes anything, and treats no answer as no', async () => {
    const { file, command } = home(sampleOf('cursor'));
    const { code, err } = await command('install', 'cursor', '--no-cost');
    expect([code, err]).toEqual([2, 'Nothing was changed. Add --yes to confirm without a prompt.\n']);
    expect(readFileSync(file, 'utf8')).toBe(sampleOf('cursor').text);
  });

  it('refuses if the file has changed in the meantime', () => {
    const { file, env } = home(sampleOf('cursor'));
    const client = CLIENTS.find(({ id }) => id === 'cursor');
    if (client === undefined) throw new Error('no client');
    const ledger = openLedger(join(env.XDG_DATA_HOME, 'quartermaster'));
    const serversFile = freeServersFile(ledger, 'cursor');
    const start = () => ({ command: 'node', args: ['quartermaster.js', 'mcp'] });
    const plan = planInstall({ client, file, places: findPlaces(env, 'linux'), serversFile, start });
    if (plan === undefined) throw new Error('no plan');
    writeFileSync(file, '{"mcpServers":{"other":{"command":"x"}}}');
    expect(() => applyInstall(plan, ledger, new Date(0))).toThrow(/has changed in the meantime, perhaps by Cursor/);
    expect(readFileSync(file, 'utf8')).toContain('other');
    expect(ledger.list()).toEqual([]);
  });

  it('shows what the servers cost today', async () => {
    const server = { command: 'no-such-program-anywhere' };
    const { command } = home({ path: '.cursor/mcp.json', text: JSON.stringify({ mcpServers: { server } }) });
    const { out } = await command('install', 'cursor', '--dry-run');
    expect(out).toMatch(/^This server lists no tools\./);
    expect(out).toMatch(/^server +down +0 +0$/m);
  });

  it('also moves rules that a client keeps in another file', async () => {
    const { folder, env, command } = home(sampleOf('claude-code'));
    mkdirSync(join(folder, '.claude'));
    const permissions = { deny: ['mcp__github__delete_repo', 'Bash(rm *)'], allow: ['mcp__files__read'] };
    writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ permissions }));
    const { out } = await command('install', 'claude-code', '--yes', '--no-cost');
    const installed = JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8')) as { mcpServers: object };
    // Without it Claude Code sends its first request before the proxy is there.
    expect(installed.mcpServers).toMatchObject({ quartermaster: { type: 'stdio', alwaysLoad: true } });
    const servers = join(env.XDG_DATA_HOME, 'quartermaster', 'clients', 'claude-code', 'servers.json');
    expect(JSON.parse(readFileSync(servers, 'utf8')).mcpServers.github.deny).toEqual(['delete_repo']);
    expect(out).toContain('files: rules about asking before its tools run are not carried over');
  });

  it('refuses rules that it cannot read', async () => {
    const { folder, command } = home(sampleOf('claude-code'));
    mkdirSync(join(folder, '.claude'));
    writeFileSync(join(folder, '.claude', 'settings.json'), '{ broken');
    const { code, err } = await command('install', 'claude-code', '--yes', '--no-cost');
    expect([code, err]).toEqual([2, expect.stringContaining("so its rules about tools can't be kept")]);
  });

  it.each<[string, object, RegExp]>([
    ['a second time', { quartermaster: { command: 'qm', args: ['mcp'] } }, /already has Quartermaster/],
    ['under a name that is taken', { quartermaster: { command: 'other' } }, /another server called quartermaster/],
  ])('refuses to install %s', async (_, mcpServers, reason) => {
    const { command } = home({
      path: '.cursor/mcp.json',
      text: JSON.stringify({ mcpServers: { a: { command: 'a' }, ...mcpServers } }),
    });
    const { code, err } = await command('install', 'cursor', '--yes', '--no-cost');
    expect(code).toBe(2);
    expect(err).toMatch(reason);
  });

  it('lists where it looked, and the known clients', async () => {
    const { command, folder } = home(sampleOf('cursor'));
    expect((await command('install', 'codex')).err).toBe(
      `Codex has no configuration file here. Looked for:\n  ${join(folder, '.codex/config.toml')}\nSpecify it with --file FILE.\n`,
    );
    expect((await command('install', 'emacs')).err).toContain(
      `Allowed choices are ${CLIENTS.map(({ id }) => id).join(', ')}.`,
    );
  });

  it.each([
    ['inline tables', 'mcp_servers = { a = { command = "x" } }\n', /not written as \[mcp_servers\.name\] tables/],
    [
      'a text that looks like a table',
      '[mcp_servers.a]\ncommand = """\n[mcp_servers.b]\n"""\n[x]\ny = 1\n',
      /can't be (?:edited|read)|not valid TOML/,
    ],
  ])('refuses to edit TOML with %s', async (_, text, reason) => {
    const { file, command } = home({ path: '.codex/config.toml', text });
    const { code, err } = await command('install', 'codex', '--yes', '--no-cost');
    expect(code).toBe(2);
    expect(err).toMatch(reason);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('makes Codex wait for the proxy', async () => {
    const { file, command } = home(sampleOf('codex'));
    await command('install', 'codex', '--yes', '--no-cost');
    expect(readFileSync(file, 'utf8')).toMatch(/\[mcp_servers\.quartermaster\]\r?\n(?:.+\n)*required = true/);
  });

  it('follows symbolic links, as in dotfile repositories', async () => {
    const { folder, file, command } = home({ ...sampleOf('gemini'), path: 'dotfiles/gemini.json' });
    mkdirSync(join(folder, '.gemini'));
    symlinkSync(file, join(folder, '.gemini', 'settings.json'));
    await command('install', 'gemini', '--yes', '--no-cost');
    expect(readFileSync(file, 'utf8')).toContain('quartermaster');
    await command('uninstall', 'gemini');
    expect(readFileSync(file, 'utf8')).toBe(sampleOf('gemini').text);
  });

  it("keeps a servers' file that was edited since, and does not write over it later", async () => {
    const { env, command } = home(sampleOf('gemini'));
    await command('install', 'gemini', '--yes', '--no-cost');
    const servers = join(env.XDG_DATA_HOME, 'quartermaster', 'clients', 'gemini', 'servers.json');
    writeFileSync(servers, '{"mcpServers":{"mine":{"command":"x"}}}');
    expect((await command('uninstall')).out).toContain(`${servers}: kept, because it has changed since`);
    await command('install', 'gemini', '--yes', '--no-cost');
    expect(readFileSync(servers, 'utf8')).toContain('mine');
  });
});

describe('findPlaces', () => {
  it.each<[NodeJS.Platform, Readonly<Record<string, string>>, string]>([
    ['linux', { HOME: '/h' }, '/h/.config'],
    ['linux', { HOME: '/h', XDG_CONFIG_HOME: '/x' }, '/x'],
    ['darwin', { HOME: '/h' }, '/h/Library/Application Support'],
    ['win32', { USERPROFILE: '/u', APPDATA: '/a' }, '/a'],
  ])('on %s with %j', (platform, env, applications) => {
    expect(findPlaces(env, platform).applications).toBe(applications);
  });
});
