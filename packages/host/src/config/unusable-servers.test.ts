import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, makeFolder } from './config-folder.fixture.ts';
import { loadConfig } from './load-config.ts';

const GOOD = { command: 'run' };

/** What becomes of an entry beside a good one, in a client's file of this name. */
function beside(entry: unknown, { name = '.mcp.json', env = {} } = {}) {
  const text = JSON.stringify({ mcpServers: { bad: entry, good: GOOD } }, null, 2);
  return load(undefined, { files: { [name]: text }, flags: { mcpConfig: [name] }, env });
}

describe('one unusable entry', () => {
  it.each<[string, unknown, RegExp]>([
    ['an unset variable', { command: 'a', env: { T: `\${NOT_SET}` } }, /needs the environment variable NOT_SET/],
    ['an input nobody has answered', { command: 'a', args: [`\${input:token}`] }, /needs the input "token".*mcp input/],
    ['a workspace that is not known', { command: `\${workspaceFolder}/run` }, /QUARTERMASTER_WORKSPACE/],
    ['WebSocket', { type: 'ws', url: 'ws://h/mcp' }, /WebSocket/],
    ['a typo', { comand: 'a' }, /neither command nor url.*comand/],
    ['neither command nor address', {}, /neither command nor url/],
    ['no block at all', 'npx server', /bad is "npx server"; allowed: a block/],
    ['a command of the wrong kind', { command: 7 }, /command is 7/],
    ['a Zed extension', { source: 'extension', settings: {} }, /Zed extension/],
    ['a restriction of an unknown kind', { command: 'a', includeTools: 'read' }, /includeTools.*list of tool names/],
    ['an unknown key that looks like a restriction', { command: 'a', blockedTools: ['x'] }, /blockedTools/],
  ])('with %s disables only that entry', (_, entry, reason) => {
    const { mcpServers, unusableServers } = beside(entry);
    expect(Object.keys(mcpServers)).toEqual(['good']);
    expect(unusableServers).toHaveLength(1);
    expect(unusableServers[0]).toMatchObject({ name: 'bad', source: expect.stringMatching(/\.mcp\.json$/) });
    expect(unusableServers[0]?.reason).toMatch(reason);
  });

  it('is named with its line', () => {
    expect(beside({ command: 'a', args: [`\${NOT_SET}`] }).unusableServers[0]?.line).toBe(6);
  });

  it('in quartermaster.yaml leaves the rest of the file usable; unknown keys count there', () => {
    const yaml = 'mcpServers:\n  bad: { command: a, alow: [x] }\n  good: { command: run }\nlisten: { port: 99 }';
    const config = load(yaml);
    expect(config).toMatchObject({ mcpServers: { good: GOOD }, listen: { port: 99 } });
    expect(config.unusableServers).toEqual([
      {
        name: 'bad',
        source: config.files[0],
        line: 2,
        reason: expect.stringContaining('mcpServers.bad.alow is not a setting. Did you mean allow?'),
      },
    ]);
  });

  it('that is switched off is not reported', () => {
    const yaml = `mcpServers: { off: { command: "\${NOT_SET}", disabled: true } }`;
    expect(load(yaml)).toMatchObject({ mcpServers: {}, unusableServers: [] });
  });

  it('keeps its name: a file of lower priority does not replace it', () => {
    const weaker = JSON.stringify({ mcpServers: { bad: GOOD } });
    const yaml = `mcpConfig: [a.json]\nmcpServers: { bad: { command: "\${NOT_SET}" } }`;
    const config = load(yaml, { files: { 'a.json': weaker } });
    expect(Object.keys(config.mcpServers)).toEqual([]);
    expect(config.unusableServers.map(({ name }) => name)).toEqual(['bad']);
  });

  it('names every reason it has, and shows no secret', () => {
    const [bad] = beside({ command: '', args: [{ key: 'hunter2' }] }).unusableServers;
    expect(bad?.reason).toContain('command is empty');
    expect(bad?.reason).toContain('args[0]');
    expect(bad?.reason).not.toContain('hunter2');
  });
});

describe('what clients fill in', () => {
  it('the workspace is found by the location of the file, or from QUARTERMASTER_WORKSPACE', () => {
    const entry = { command: `\${workspaceFolder}/bin/run`, args: [`\${workspaceFolderBasename}`, `\${userHome}/x`] };
    const folder = makeFolder({ '.vscode/mcp.json': JSON.stringify({ servers: { a: entry } }) });
    const env = { HOME: '/home/me' };
    const flags = { mcpConfig: ['.vscode/mcp.json'] };
    const { mcpServers } = loadConfig({ folder, env, flags });
    expect(mcpServers.a).toMatchObject({
      command: join(folder, 'bin/run'),
      args: [folder.split('/').at(-1), '/home/me/x'],
    });
    const given = loadConfig({ folder, env: { ...env, QUARTERMASTER_WORKSPACE: '/w' }, flags });
    expect(given.mcpServers.a).toMatchObject({ command: '/w/bin/run' });
  });

  it('inputs are listed with the texts of their client, and used once they are answered', () => {
    const inputs = [{ id: 'token', type: 'promptString', description: 'Your token', password: true }];
    const text = JSON.stringify({ inputs, servers: { a: { command: 'a', env: { T: `\${input:token}` } } } });
    const folder = makeFolder({ 'mcp.json': text });
    const options = { folder, env: {}, flags: { mcpConfig: ['mcp.json'] } };
    const source = join(folder, 'mcp.json');
    const before = loadConfig(options);
    expect(before.inputs).toEqual([{ source, id: 'token', description: 'Your token', isSecret: true, servers: ['a'] }]);
    const asked: string[] = [];
    const answers = (file: string, id: string) => {
      asked.push(`${file} ${id}`);
      return 'hunter2';
    };
    expect(loadConfig({ ...options, answers }).mcpServers.a).toMatchObject({ env: { T: 'hunter2' } });
    expect(asked).toEqual([`${source} token`]);
  });

  it("an argument may name a variable of the entry's own, as mcp-remote has it", () => {
    const entry = { command: 'npx', args: ['mcp-remote', '--header', `A:\${AUTH}`], env: { AUTH: 'Bearer x' } };
    expect(beside(entry).mcpServers.bad).toMatchObject({ args: ['mcp-remote', '--header', 'A:Bearer x'] });
    expect(beside(entry, { env: { AUTH: 'other' } }).mcpServers.bad).toMatchObject({
      args: [expect.anything(), expect.anything(), 'A:other'],
    });
  });

  it('a file of variables is read; a missing one disables its entry', () => {
    const entry = { command: 'a', envFile: `\${workspaceFolder}/.env`, env: { B: 'mine' } };
    const files = { '.vscode/mcp.json': JSON.stringify({ servers: { a: entry } }) };
    const flags = { mcpConfig: ['.vscode/mcp.json'] };
    const folder = makeFolder({ ...files, '.env': '# secrets\nA="1 2"\nB=theirs\n' });
    expect(loadConfig({ folder, env: {}, flags }).mcpServers.a).toEqual({ command: 'a', env: { A: '1 2', B: 'mine' } });
    expect(load(undefined, { files, flags }).unusableServers[0]?.reason).toMatch(/envFile.*can't be read/);
  });
});
