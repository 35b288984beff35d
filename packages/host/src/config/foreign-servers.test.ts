import { describe, expect, it } from 'vitest';
import { load, problemsOf } from './config-folder.fixture.ts';

describe('files of other programs', () => {
  const files = {
    '.mcp.json': JSON.stringify(
      {
        other: { setting: true },
        mcpServers: {
          github: {
            command: 'npx',
            args: ['-y', 'x'],
            env: { TOKEN: `\${GITHUB_TOKEN:-none}` },
            autoApprove: ['a'],
            timeout: 5,
          },
          shared: { type: 'http', url: 'https://one.example.com' },
        },
      },
      null,
      '\t',
    ),
    'vscode.json': `{ "servers": { "shared": { "url": "https://two.example.com" }, "last": { "type": "stdio", "command": "\${env:CMD}" } } }`,
  };

  it('are read unchanged; the first one that names a server wins', () => {
    const yaml = 'mcpConfig: [.mcp.json, vscode.json]\nmcpServers: { github: { command: mine } }';
    const config = load(yaml, { files, env: { CMD: 'run' } });
    expect(config.mcpServers).toEqual(
      Object.assign(Object.create(null), {
        github: { command: 'mine' },
        shared: { type: 'http', url: 'https://one.example.com' },
        last: { type: 'stdio', command: 'run' },
      }),
    );
    expect(config.files).toHaveLength(3);
  });

  it.each<[string, object, object]>([
    ['Cline', { type: 'streamableHttp', url: 'https://h/mcp' }, { type: 'streamable-http', url: 'https://h/mcp' }],
    ['others', { type: 'streamable_http', url: 'https://h/mcp' }, { type: 'streamable-http', url: 'https://h/mcp' }],
    ['Gemini CLI', { httpUrl: 'https://h/mcp' }, { type: 'http', url: 'https://h/mcp' }],
    ['Windsurf', { serverUrl: 'https://h/mcp' }, { url: 'https://h/mcp' }],
    ['an editor of forms', { command: 'run', url: '' }, { command: 'run' }],
    ['a program that says local', { type: 'local', command: 'run' }, { type: 'stdio', command: 'run' }],
  ])('a server as %s writes it', (_, entry, expected) => {
    const given = { '.mcp.json': JSON.stringify({ mcpServers: { a: entry } }) };
    const { mcpServers } = load(undefined, { files: given, flags: { mcpConfig: ['.mcp.json'] } });
    expect(mcpServers.a).toEqual(expected);
  });

  it('may have comments, another name for the block, and disabled servers with unset variables', () => {
    const text = `// mine
{ /* Zed */ "context_servers": {
  "off": { "command": "a", "disabled": true, "env": { "A": "\${NOT_SET}" } },
  "out": { "command": "a", "enabled": false, "args": ["\${NOT_SET}"] },
  "on": { "url": "https://h/mcp//x", "headers": { "Quote": "a \\" // b" } }, // here
} }`;
    const { mcpServers } = load(undefined, { files: { 'a.json': text }, flags: { mcpConfig: ['a.json'] } });
    expect(mcpServers).toEqual(
      Object.assign(Object.create(null), { on: { url: 'https://h/mcp//x', headers: { Quote: 'a " // b' } } }),
    );
    const wrong = text.replace('https:', 'ftp:');
    const { unusableServers } = load(undefined, { files: { 'a.json': wrong }, flags: { mcpConfig: ['a.json'] } });
    expect(unusableServers).toMatchObject([{ name: 'on', line: 5 }]);
  });

  it('can also be given as flags', () => {
    const config = load(undefined, { files, flags: { mcpConfig: ['.mcp.json'] }, env: {} });
    expect(config.mcpServers).toMatchObject({ github: { env: { TOKEN: 'none' } } });
  });

  it('are noted if an earlier file has another entry of that name', () => {
    const entry = (args: readonly string[]) => JSON.stringify({ mcpServers: { files: { command: 'files', args } } });
    const files = { 'a.json': entry(['/a']), 'b.json': entry(['/b']), 'c.json': entry(['/a']) };
    const config = load('mcpConfig: [a.json, b.json, c.json]', { files });
    expect(config.mcpServers).toMatchObject({ files: { args: ['/a'] } });
    expect(config.notes).toEqual([
      {
        server: 'files',
        source: expect.stringMatching(/b\.json$/),
        message: expect.stringMatching(
          /^the entry in .*b\.json is ignored, because an earlier file has a server of that name$/,
        ),
        ignored: {},
      },
    ]);
  });

  it('are not noted if the other entry starts the same server', () => {
    const entries = {
      'a.json': { type: 'stdio', command: 'files', args: [], env: {} },
      'b.json': { command: 'files' },
      'c.json': { command: 'files', disabledTools: ['write'] },
    };
    const files = Object.fromEntries(
      Object.entries(entries).map(([name, files]) => [name, JSON.stringify({ mcpServers: { files } })]),
    );
    const { notes } = load('mcpConfig: [a.json, b.json, c.json]', { files });
    expect(notes).toMatchObject([{ server: 'files', source: expect.stringMatching(/c\.json$/) }]);
  });

  it('are also noted if the earlier entry cannot be used', () => {
    const entry = (command: string) => JSON.stringify({ mcpServers: { files: { command } } });
    const config = load(undefined, {
      files: { 'a.json': entry(''), 'b.json': entry('files') },
      flags: { mcpConfig: ['a.json', 'b.json'] },
    });
    expect(config.unusableServers).toMatchObject([{ name: 'files' }]);
    expect(config.notes).toMatchObject([{ server: 'files', source: expect.stringMatching(/b\.json$/) }]);
  });

  it('are noted with the reason if an entry that is ignored could not be used anyway', () => {
    const files = {
      'a.json': JSON.stringify({ mcpServers: { files: { command: 'files' } } }),
      'b.json': JSON.stringify({ mcpServers: { files: { command: 'files', env: { TOKEN: `\${input:token}` } } } }),
    };
    const { mcpServers, unusableServers, notes } = load('mcpConfig: [a.json, b.json]', { files });
    expect([Object.keys(mcpServers), unusableServers]).toEqual([['files'], []]);
    const reason = expect.stringContaining('mcpServers.files.env.TOKEN needs the input "token"');
    expect(notes).toEqual([
      {
        server: 'files',
        source: expect.stringMatching(/b\.json$/),
        message: expect.stringMatching(
          /^the entry in .*b\.json is ignored, .* of that name, and can't be used: .*token/,
        ),
        ignored: { reason },
      },
    ]);
  });

  it('have their own line numbers in problems, together with those of the main file', () => {
    const bad = '{\n  "mcpServers": {\n    "a": { "command": "" },\n    "b": { "url": "ws://x" }\n  }\n}';
    const run = () =>
      load('mcpConfig: [a.json, b.json, c.json]\ndeferral: x', { files: { 'a.json': bad, 'b.json': '{}' } });
    expect(problemsOf(run)).toEqual([
      expect.stringContaining('quartermaster.yaml:2: deferral is "x"'),
      expect.stringMatching(/^b\.json: The document has no block of servers: mcpServers, /),
      'c.json: There is no such file',
      'a.json:3: mcpServers.a.command is empty; allowed: a string of at least one character',
      'a.json:4: mcpServers.b.url is "ws://x"; allowed: an address that begins with http:// or https://',
    ]);
  });
});
