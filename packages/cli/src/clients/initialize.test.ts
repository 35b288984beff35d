import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { run } from '../run.ts';
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
  return { folder, env, settings, init };
}

/** The sample of Claude Code also has servers of a project. */
const PROJECTS = 1;

interface ClaudeFile {
  readonly mcpServers: Readonly<Record<string, { readonly args: readonly string[] }>>;
  readonly projects: Readonly<Record<string, Pick<ClaudeFile, 'mcpServers'>>>;
}

const ONE_SERVER = JSON.stringify({ mcpServers: { one: { command: 'one' } } });

const ALL = Object.fromEntries(SAMPLES.map(({ path, text }) => [path, text]));

describe('quartermaster init', () => {
  it('finds every client, moves their servers, writes the settings, and undoes it all', async () => {
    const { folder, settings, init } = home(ALL);
    const { code, out } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(out.match(/ moved to \S+; backup in the same folder: \S+$/gm)).toHaveLength(SAMPLES.length + PROJECTS);
    const { mcpConfig } = { mcpConfig: loadConfig({ path: settings, env: {} }).files.slice(1) };
    expect(mcpConfig).toHaveLength(SAMPLES.length + PROJECTS);
    expect(mcpConfig.every((file) => /servers(-2)?\.json$/.test(file))).toBe(true);

    const undone = await init('--undo');
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining(`${settings} was deleted.`) });
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(settings)).toBe(false);
  });

  it.each(['installed.json', 'settings-written.json'])('names a damaged %s', async (name) => {
    const { folder, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    await init('--yes', '--no-cost');
    const record = join(folder, 'data/quartermaster/clients', name);
    writeFileSync(record, '{');
    const message = `${record} can't be read; the backups of your clients' files are in the same folder\n`;
    expect(await init('--undo')).toMatchObject({ code: 2, err: message });
  });

  it('changes nothing without a terminal or --yes, and says so', async () => {
    const { folder, settings, init } = home(ALL);
    const { code, out, err } = await init('--no-cost');
    expect([code, err]).toEqual([2, expect.stringMatching(/^Nothing was changed: .* Add --yes to confirm\.\n$/)]);
    expect(out).toContain('Cursor: would move 2 servers to ');
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(settings)).toBe(false);
  });

  it('asks in a terminal about each client, and names the command for later', async () => {
    const { folder, env, settings } = home(Object.fromEntries([SAMPLES[2]].map((one) => [one?.path, one?.text])));
    const stdin = Object.assign(new PassThrough(), { isTTY: true as const });
    stdin.end('n\n');
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    expect(await run(['init', '--no-cost', '--config', settings], { stdin, stdout, stderr, env })).toBe(0);
    expect(String(stderr.read())).toContain('Move the servers of Cursor behind Quartermaster? [y/N]');
    expect(String(stdout.read())).toContain('Cursor was not changed. Later: quartermaster mcp install cursor');
    expect(readFileSync(settings, 'utf8')).toContain(join(folder, '.cursor/mcp.json'));
  });

  it('stops at Ctrl+C without another question, and writes nothing', async () => {
    const { env, settings } = home(ALL);
    const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => undefined });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    stdin.write('\u0003');
    expect(await run(['init', '--no-cost', '--config', settings], { stdin, stdout, stderr, env })).toBe(130);
    expect(String(stderr.read()).match(/\[y\/N\]/g)).toHaveLength(1);
    expect(existsSync(settings)).toBe(false);
  });

  it('moves the servers that Claude Code keeps for a project, and leaves a shared .mcp.json', async () => {
    const folder = temporaryFolder();
    const project = join(folder, 'app');
    const text = JSON.stringify(
      {
        mcpServers: { mine: { command: 'a' } },
        projects: { [project]: { mcpServers: { local: { command: 'b' } }, disabledMcpServers: [] }, '/none': {} },
      },
      null,
      2,
    );
    mkdirSync(project);
    const shared = JSON.stringify({ mcpServers: { team: { command: 'c' } } });
    writeFileSync(join(folder, '.claude.json'), text);
    writeFileSync(join(project, '.mcp.json'), shared);
    const env = { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), PATH: process.env.PATH ?? '' };
    const init = (...args: string[]) =>
      runCommand(['init', '--config', join(folder, 'quartermaster.yaml'), '--no-cost', ...args], env);

    const { code, out } = await init('--yes', '--form', 'bridge');
    expect(code).toBe(0);
    expect(out).toContain(`Claude Code (project ${project}): 1 server moved to `);
    expect(out).toContain(`quartermaster mcp install claude-code --file ${join(project, '.mcp.json')}`);
    const after = JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8')) as ClaudeFile;
    const files = join(folder, 'data', 'quartermaster', 'clients', 'claude-code');
    // The project's entry hides the user's entry, so it starts the servers of both.
    expect(after.projects[project]?.mcpServers.quartermaster?.args.slice(1)).toEqual([
      ...['mcp', '--form', 'bridge', '--mcp-config'],
      ...[join(files, 'servers-2.json'), join(files, 'servers.json')],
    ]);
    expect(after.mcpServers.quartermaster?.args.at(-1)).toBe(join(files, 'servers.json'));
    expect(readFileSync(join(project, '.mcp.json'), 'utf8')).toBe(shared);
    expect(out.replace(/\s+/g, ' ')).toContain('Keep both entries');

    // Claude Code writes its file all the time; only the servers are restored then.
    writeFileSync(join(folder, '.claude.json'), JSON.stringify({ ...after, numStartups: 2 }, null, 2));
    await init('--undo');
    expect(JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8'))).toEqual({
      ...JSON.parse(text),
      numStartups: 2,
    });
  });

  it('moves the servers of opencode 2, which keeps them under mcp.servers', async () => {
    const path = '.config/opencode/opencode.jsonc';
    const text = '{\n  "mcp": {\n    "servers": { "one": { "type": "local", "command": ["one"] } }\n  }\n}\n';
    const { folder, init } = home({ [path]: text });
    expect((await init('--yes', '--no-cost')).out).toContain('opencode: 1 server moved to ');
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
    expect(out.match(/would move \d+ servers? to /g)).toHaveLength(SAMPLES.length + PROJECTS);
    expect(out).toContain(`${settings} would be written.\nNothing was changed (--dry-run).`);
    for (const { path, text } of SAMPLES) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(existsSync(settings)).toBe(false);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('writes the form that was chosen into the settings, for the commands that read them', async () => {
    const { settings, init } = home({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { a: { command: 'a' } } }) });
    await init('--yes', '--no-cost', '--form', 'bridge');
    expect(loadConfig({ path: settings, env: {} }).mcp.form).toBe('bridge');
  });

  it('shows what the tools cost: tokens, share of the window, money a day', async () => {
    const files = { command: process.execPath, args: [FILESYSTEM, '/tmp'] };
    const { init } = home({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { files } }) });
    const { out } = await init('--price', '10', '--requests', '1000');
    const [, tokens = '0'] =
      /takes about ([\d,]+) tokens of every request, [\d.]+%/.exec(out.replace(/\s+/g, ' ')) ?? [];
    const dollars = ((Number(tokens.replaceAll(',', '')) * 1000 * 10) / 1_000_000).toFixed(2);
    expect(Number(dollars)).toBeGreaterThan(1);
    expect(out.replace(/\s+/g, ' ')).toContain(
      `At $10 per million tokens and 1,000 requests a day, that is $${dollars} a day`,
    );
  });

  it('explains once what deferral would do, and counts only servers that it starts', async () => {
    const files = { command: process.execPath, args: [FILESYSTEM, '/tmp'] };
    const asked = { type: 'stdio', command: 'x', env: { TOKEN: `$\{input:token}` } };
    const { init } = home({
      '.cursor/mcp.json': JSON.stringify({ mcpServers: { files } }),
      '.gemini/settings.json': JSON.stringify({ mcpServers: { files } }),
      '.config/Code/User/mcp.json': JSON.stringify({
        inputs: [{ id: 'token', type: 'promptString' }],
        servers: { asked },
      }),
    });
    const { out, err } = await init('--dry-run');
    const text = out.replace(/\s+/g, ' ');
    expect(text.match(/That is less than 10% of the window/g)).toHaveLength(1);
    expect(text.match(/At \$3 per million tokens/g)).toHaveLength(1);
    expect(text.match(/that is \$[\d.]+ a day, of which deferral would save/gi)).toHaveLength(2);
    expect(text).toContain('VS Code This server lists no tools.');
    // The command reads the servers that were moved, and an answer belongs to one file.
    expect(text).toContain('needs the input "token"; after the move, answer it once with: quartermaster mcp input');
    expect(err).not.toContain('Starting 0 servers');
  });

  it("adds the user's servers to the entry of a project that was moved before, and undoes that too", async () => {
    const { folder, env, init } = home({});
    const project = join(folder, 'shop');
    const file = join(folder, '.claude.json');
    const text = JSON.stringify({
      mcpServers: { one: { command: 'a' } },
      projects: { [project]: { mcpServers: { local: { command: 'b' } } }, '/none': {} },
    });
    writeFileSync(file, text);
    const install = (...args: string[]) =>
      runCommand(['mcp', 'install', 'claude-code', '--no-cost', '--yes', ...args], env);
    expect((await install('--project', project, '--form', 'load')).code).toBe(0);
    expect((await install()).code).toBe(0);
    const { projects } = JSON.parse(readFileSync(file, 'utf8')) as ClaudeFile;
    const files = join(folder, 'data', 'quartermaster', 'clients', 'claude-code');
    // The project's entry hides the user's entry of the same name.
    expect(projects[project]?.mcpServers.quartermaster?.args.slice(1)).toEqual([
      ...['mcp', '--form', 'load', '--mcp-config'],
      ...[join(files, 'servers.json'), join(files, 'servers-2.json')],
    ]);
    await init('--undo');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it("starts the user's servers from a project's file too, unless the client uses both entries", async () => {
    const mcpServers = { mine: { command: 'a', args: [`\${workspaceFolder}/x`] } };
    const { folder, env, init } = home({
      '.cursor/mcp.json': JSON.stringify({ mcpServers }),
      'shop/.cursor/mcp.json': JSON.stringify({ mcpServers: { shop: { command: 'b' } } }),
      '.config/Code/User/mcp.json': JSON.stringify({ servers: { mine: { command: 'a' } } }),
      'shop/.vscode/mcp.json': JSON.stringify({ servers: { shop: { command: 'b' } } }),
    });
    await init('--no-cost', '--yes');
    const moved = async (client: string, file: string) => {
      const { code, out } = await runCommand(
        ['mcp', 'install', client, '--file', join(folder, file), '--no-cost', '--yes'],
        env,
      );
      expect(code).toBe(0);
      const document = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      const { args, env: variables } = (document.mcpServers ?? document.servers).quartermaster;
      return { files: args.slice(args.indexOf('--mcp-config') + 1), variables, out: out.replace(/\s+/g, ' ') };
    };
    const files = join(folder, 'data', 'quartermaster', 'clients');
    const cursor = await moved('cursor', 'shop/.cursor/mcp.json');
    expect(cursor.files).toEqual([join(files, 'cursor', 'servers-2.json'), join(files, 'cursor', 'servers.json')]);
    expect(cursor.variables).toEqual({ QUARTERMASTER_WORKSPACE: `\${workspaceFolder}` });
    expect(cursor.out).toContain('it starts the servers of both. Keep both entries.');
    expect((await moved('vscode', 'shop/.vscode/mcp.json')).files).toEqual([join(files, 'vscode', 'servers-2.json')]);
  });

  it('says where a file of a project, moved before, hides the entry', async () => {
    const one = JSON.stringify({ mcpServers: { one: { command: 'one' } } });
    const { folder, env } = home({ '.cursor/mcp.json': one, 'shop/.cursor/mcp.json': one });
    const file = join(folder, 'shop', '.cursor', 'mcp.json');
    const install = (...args: string[]) => runCommand(['mcp', 'install', 'cursor', '--no-cost', '--yes', ...args], env);
    await install('--file', file);
    const { out } = await install();
    const servers = join(folder, 'data', 'quartermaster', 'clients', 'cursor', 'servers-2.json');
    expect(out.replace(/\s+/g, ' ')).toContain(
      `the entry in ${file} hides this one. To use these servers there too, add ${servers} to its --mcp-config.`,
    );
  });

  it('keeps settings that have changed since', async () => {
    const { settings, init } = home(ALL);
    await init('--no-cost', '--yes');
    const gone = loadConfig({ path: settings, env: {} }).files.slice(1);
    const changed = `# mine\n${readFileSync(settings, 'utf8')}`;
    writeFileSync(settings, changed);
    expect((await init('--undo')).out).toContain(
      `was kept, because it has changed since. Remove these files from its mcpConfig, they no longer exist: ${gone.join(', ')}`,
    );
    expect(readFileSync(settings, 'utf8')).toBe(changed);
  });

  it('adds the files to existing settings, shows the lines first, and removes them again', async () => {
    const { folder, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    const mine = '# mine\nupstreams: [] # none yet';
    writeFileSync(settings, mine);
    const servers = join(folder, 'data/quartermaster/clients/cursor/servers.json');
    const lines = `mcpConfig:\n  - ${JSON.stringify(servers)} # Cursor\n`;
    expect((await init('--no-cost', '--dry-run')).out).toContain(`${settings} would get these lines:\n${lines}`);
    const { out } = await init('--no-cost', '--yes');
    expect(out).toContain(`Cursor: 1 server moved to ${servers}; backup in the same folder: `);
    expect(out).toContain(`${settings} now has these lines:\n${lines}Restart your clients. To undo everything: `);
    expect(readFileSync(settings, 'utf8')).toBe(`${mine}\n${lines}`);

    // Another client comes later: its file joins the list, and undoing goes back to the beginning.
    mkdirSync(join(folder, '.codeium/windsurf'), { recursive: true });
    writeFileSync(join(folder, '.codeium/windsurf/mcp_config.json'), ONE_SERVER);
    await init('--no-cost', '--yes');
    expect(loadConfig({ path: settings, env: {} }).files).toEqual([
      ...[settings, servers, join(folder, 'data/quartermaster/clients/windsurf/servers.json')],
    ]);
    const undone = await init('--undo');
    expect(undone.out).toContain(`${settings} was restored.`);
    expect(undone.out).toContain('Restart your clients');
    expect(readFileSync(settings, 'utf8')).toBe(mine);
  });

  it('prints the lines to add if it cannot add them itself', async () => {
    const { settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    writeFileSync(settings, '{ "upstreams": [] }\n');
    const { out } = await init('--no-cost', '--yes');
    expect(out).toMatch(
      /was kept\. To use the servers in this folder, add these lines to it:\nmcpConfig:\n {2}- ".*Restart/s,
    );
    expect(readFileSync(settings, 'utf8')).toBe('{ "upstreams": [] }\n');
  });

  it('follows a link to the settings when it adds to them and restores them', async () => {
    const { folder, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER, 'dotfiles/mine.yaml': '# mine\n' });
    const file = join(folder, 'dotfiles/mine.yaml');
    symlinkSync(file, settings);
    await init('--no-cost', '--yes');
    expect(readFileSync(file, 'utf8')).toMatch(/^# mine\nmcpConfig:\n/);
    await init('--undo');
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['that name the files of the servers', (file: string) => `mcpConfig:\n  - ${file}\nport: 8787`],
    ['with a list of other files', () => 'mcpConfig:\n  - other.json\nport: 8787'],
  ])('adds the form to settings %s', async (_, write) => {
    const { folder, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    const mine = write(join(folder, 'data/quartermaster/clients/cursor/servers.json'));
    writeFileSync(settings, mine);
    const { out } = await init('--no-cost', '--yes', '--form', 'bridge');
    expect(out).toMatch(/now has these lines:\n.*mcp:\n {2}form: bridge\nRestart/s);
    expect(readFileSync(settings, 'utf8')).toMatch(/\nport: 8787\nmcp:\n {2}form: bridge\n$/);
    await init('--undo');
    expect(readFileSync(settings, 'utf8')).toBe(mine);
  });

  it.each([
    ['without a form', 'mcp:\n  contextTokens: 8192\n'],
    ['with another form', 'mcp:\n  form: native\n'],
  ])('says where to set the form in settings with an mcp block %s', async (_, mine) => {
    const { settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    writeFileSync(settings, mine);
    const told = `To use the form bridge in this folder, set it in ${settings}:\nmcp:\n  form: bridge\n`;
    expect((await init('--no-cost', '--dry-run', '--form', 'bridge')).out).toContain(told);
    expect((await init('--no-cost', '--yes', '--form', 'bridge')).out).toContain(`${told}Restart`);
    expect(readFileSync(settings, 'utf8').startsWith(`${mine}mcpConfig:\n`)).toBe(true);
    // Everything is moved by now.
    expect((await init('--form', 'bridge')).out).toContain('--form changes nothing now.');
  });

  it('does not mention a form that the settings already have', async () => {
    const { settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    writeFileSync(settings, 'mcp:\n  form: bridge\n');
    expect((await init('--no-cost', '--yes', '--form', 'bridge')).out).not.toContain('form');
  });

  it('lists missing files of settings that were edited between two runs', async () => {
    const { folder, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    await init('--no-cost', '--yes');
    const edited = `# mine\n${readFileSync(settings, 'utf8')}`;
    writeFileSync(settings, edited);
    mkdirSync(join(folder, '.codeium/windsurf'), { recursive: true });
    writeFileSync(join(folder, '.codeium/windsurf/mcp_config.json'), ONE_SERVER);
    await init('--no-cost', '--yes');
    const lost = join(folder, 'data/quartermaster/clients/cursor/servers.json');
    expect((await init('--undo')).out).toContain(
      `${settings} was restored. Remove these files from its mcpConfig, they no longer exist: ${lost}\n`,
    );
    expect(readFileSync(settings, 'utf8')).toBe(edited);
  });

  it('lets doctor, mcp status and search use the moved servers if the settings name none', async () => {
    const files = { command: process.execPath, args: [FILESYSTEM, '/tmp'] };
    const { folder, env, init } = home({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { files } }) });
    await init('--no-cost', '--yes');
    const other = join(folder, 'other.yaml');
    writeFileSync(other, 'upstreams: []\n');
    const elsewhere = { ...env, QUARTERMASTER_CONFIG: other };
    const servers = join(folder, 'data/quartermaster/clients/cursor/servers.json');
    for (const args of [['doctor'], ['mcp', 'status'], ['search', 'read a file']]) {
      const { out, err } = await runCommand(args, elsewhere);
      expect(err).toContain(`The settings name no MCP servers: using those of your clients, in ${servers}.`);
      expect(out).toMatch(/files responds|files +ready|read_text_file {2}files/);
    }
  });

  it('writes settings that share the store of the clients, which start in other folders', async () => {
    const { folder, env, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    await init('--no-cost', '--yes');
    const shared = join(folder, 'data', 'quartermaster', 'store.db');
    expect(loadConfig({ path: settings, env: {} }).store.location).toEqual({ path: shared });
    expect((await runCommand(['doctor', '-c', settings], env)).out).not.toContain('outside this folder');

    const other = join(folder, 'other.yaml');
    writeFileSync(other, 'upstreams: []\n');
    const { out } = await runCommand(['doctor', '-c', other], env);
    expect(out.replace(/\s+/g, ' ')).toContain(`· store: clients that start outside this folder use ${shared} Fix: `);
  });

  it('lets mcp login, mcp input and mcp accept use the moved servers if the settings name none', async () => {
    const secret = { type: 'stdio', command: 'one', env: { TOKEN: `\${input:token}` } };
    const remote = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
    const inputs = [{ id: 'token', type: 'promptString', description: 'Token', default: 'a' }];
    const { env, init } = home({
      '.config/Code/User/mcp.json': JSON.stringify({ inputs, servers: { secret, remote } }),
    });
    await init('--no-cost', '--yes');
    expect((await runCommand(['mcp', 'input'], env, '\n')).err).toContain('1 answer stored encrypted');
    expect((await runCommand(['mcp', 'login', 'remote', '--no-browser'], env)).err).not.toContain('There is no server');
    const { err } = await runCommand(['mcp', 'accept'], env);
    expect(err).toContain('0 changed definitions');
    expect(err).not.toContain('needs the input');
  });

  it('plans a separate file for the servers of each scope', async () => {
    const { init } = home(ALL);
    const { out } = await init('--no-cost', '--dry-run');
    const files = out.match(/(?<=would move \d servers? to )\S+/g) ?? [];
    expect(new Set(files).size).toBe(files.length);
  });

  it('omits the price if no server lists a tool', async () => {
    const gone = JSON.stringify({ mcpServers: { gone: { command: 'no-such-program-anywhere' } } });
    const { init } = home({ '.cursor/mcp.json': gone });
    expect((await init('--dry-run')).out).not.toContain('$');
  });

  it('shows the cost client by client, with the form that was chosen and why a server is down', async () => {
    const files = { command: process.execPath, args: [FILESYSTEM, '/tmp'] };
    const gone = { command: 'no-such-program-anywhere' };
    const { init } = home({
      '.cursor/mcp.json': JSON.stringify({ mcpServers: { files } }),
      '.codeium/windsurf/mcp_config.json': JSON.stringify({ mcpServers: { files: gone } }),
    });
    const { out } = await init('--dry-run', '--form', 'bridge');
    const text = out.replace(/\s+/g, ' ');
    expect(text).toMatch(/Cursor 1 server with 1\d tools takes about/);
    expect(text).toMatch(/Windsurf This server lists no tools\./);
    expect(text).toContain('Behind Quartermaster: ');
    expect(text).not.toContain('still sees all tools');
    expect(text).toMatch(/Problems files: .*no-such-program-anywhere/);
  });

  it('a client that cannot be changed does not stop the others', async () => {
    const taken = { a: { command: 'a' }, quartermaster: { command: 'other' } };
    const { init } = home({ ...ALL, '.cursor/mcp.json': JSON.stringify({ mcpServers: taken }) });
    const { code, out } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(out).toContain('Cursor was not changed: Cursor has another server called quartermaster; rename it first');
    expect(out.match(/ moved to \S+; backup in the same folder: \S+$/gm)).toHaveLength(SAMPLES.length + PROJECTS - 1);
  });

  it('finds every file of a client, and the files of projects, which stay as they are', async () => {
    const stable = '.config/Code/User/mcp.json';
    const insiders = '.config/Code - Insiders/User/mcp.json';
    const one = JSON.stringify({ servers: { one: { type: 'stdio', command: 'one' } } });
    const { folder, settings, init } = home({ [stable]: one, [insiders]: one });
    const project = join(folder, 'my app');
    const shared: Readonly<Record<string, string>> = {
      'cursor/mcp.json': 'cursor',
      'vscode/mcp.json': 'vscode',
      'gemini/settings.json': 'gemini',
    };
    writeFileSync(join(folder, '.claude.json'), JSON.stringify({ projects: { [project]: {} } }));
    for (const file of Object.keys(shared)) {
      mkdirSync(dirname(join(project, `.${file}`)), { recursive: true });
      writeFileSync(join(project, `.${file}`), file.startsWith('vscode') ? one : ONE_SERVER);
    }
    const { code, out } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(out).toContain('VS Code: 1 server moved to ');
    expect(out).toContain(`VS Code, ${join(folder, insiders)}: 1 server moved to `);
    for (const [file, id] of Object.entries(shared)) {
      const path = join(project, `.${file}`);
      expect(out).toContain(
        `${path} belongs to a project and stays as it is. To move it too: quartermaster mcp install`,
      );
      expect(out).toContain(`quartermaster mcp install ${id} --file '${path}'\n`);
      expect(loadConfig({ path: settings, env: {} }).files).toContain(path);
    }
    await init('--undo');
    for (const path of [stable, insiders]) expect(readFileSync(join(folder, path), 'utf8')).toBe(one);
  });

  it('writes the files of earlier moves into the settings too', async () => {
    const { folder, env, settings, init } = home({ '.cursor/mcp.json': ONE_SERVER });
    await runCommand(['mcp', 'install', 'cursor', '--yes', '--no-cost'], env);
    mkdirSync(join(folder, '.gemini'));
    writeFileSync(join(folder, '.gemini/settings.json'), ONE_SERVER);
    await init('--yes', '--no-cost');
    const clients = join(folder, 'data/quartermaster/clients');
    expect(loadConfig({ path: settings, env: {} }).files.slice(1)).toEqual([
      join(clients, 'cursor/servers.json'),
      join(clients, 'gemini/servers.json'),
    ]);
  });

  it('names a file that it may not read, and goes on with the other clients', async () => {
    const { folder, init } = home({ '.gemini/settings.json': ONE_SERVER });
    // As with a file without permission, which root can read.
    mkdirSync(join(folder, '.cursor/mcp.json'), { recursive: true });
    const { code, out, err } = await init('--yes', '--no-cost');
    expect(code).toBe(0);
    expect(err).toBe(`Cursor is skipped: ${join(folder, '.cursor/mcp.json')} can't be read: it is a folder\n`);
    expect(out).toContain('Gemini CLI: 1 server moved to ');
  });

  it('restores the other files if the backup of one is lost, and names it', async () => {
    const { folder, init } = home({ '.cursor/mcp.json': ONE_SERVER, '.gemini/settings.json': ONE_SERVER });
    const { out } = await init('--yes', '--no-cost');
    const [, servers = '', name = ''] =
      /Gemini CLI: .* moved to (\S+); backup in the same folder: (\S+)/.exec(out) ?? [];
    const backup = join(dirname(servers), name);
    rmSync(backup);
    const undone = await init('--undo');
    expect(undone.code).toBe(2);
    expect(undone.err).toContain(
      `.gemini/settings.json was not restored: ${backup} can't be read: there is no such file`,
    );
    expect(readFileSync(join(folder, '.cursor/mcp.json'), 'utf8')).toBe(ONE_SERVER);
  });

  it('skips a file that it cannot read, and says if nothing is found', async () => {
    const { init } = home({ '.cursor/mcp.json': '{ "mcpServers": {' });
    const { code, out, err } = await init();
    expect([code, out]).toEqual([1, expect.stringContaining('No MCP servers found')]);
    expect(err).toContain('Cursor is skipped: ');
  });
});
