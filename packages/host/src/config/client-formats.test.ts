import { describe, expect, it } from 'vitest';
import type { McpServerSettings } from './config.ts';
import { load } from './config-folder.fixture.ts';

function read(name: string, text: string, env: Readonly<Record<string, string>> = {}) {
  return load(undefined, { files: { [name]: text }, flags: { mcpConfig: [name] }, env });
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const env = { TOKEN: 'hunter2' };

describe("every client's format", () => {
  it.each<[string, string, string, McpServerSettings]>([
    [
      'Claude Code',
      '.mcp.json',
      json({ mcpServers: { a: { type: 'stdio', command: 'x', args: [], env: {} } } }),
      { type: 'stdio', command: 'x', args: [], env: {} },
    ],
    ['Claude Desktop', 'claude_desktop_config.json', json({ mcpServers: { a: { command: 'x' } } }), { command: 'x' }],
    [
      'Cursor',
      'mcp.json',
      json({ mcpServers: { a: { url: 'https://h/mcp', headers: { A: `\${env:TOKEN}` } } } }),
      { url: 'https://h/mcp', headers: { A: 'hunter2' } },
    ],
    [
      'VS Code',
      'mcp.json',
      json({ inputs: [], servers: { a: { type: 'http', url: 'https://h/mcp' } } }),
      { type: 'http', url: 'https://h/mcp' },
    ],
    [
      "VS Code's settings",
      'settings.json',
      json({ mcp: { inputs: [], servers: { a: { command: 'x' } } } }),
      { command: 'x' },
    ],
    [
      'Windsurf',
      'mcp_config.json',
      json({ mcpServers: { a: { serverUrl: 'https://h/mcp', disabledTools: ['rm'] } } }),
      { url: 'https://h/mcp', deny: ['rm'] },
    ],
    [
      'Zed',
      'settings.json',
      '// Zed\n{ "context_servers": { "a": { "source": "custom", "command": "x", "args": ["1"], "env": {}, } } }',
      { command: 'x', args: ['1'], env: {} },
    ],
    [
      'Zed, older',
      'settings.json',
      json({ context_servers: { a: { command: { path: 'x', args: ['1'], env: { A: 'b' } }, settings: {} } } }),
      { command: 'x', args: ['1'], env: { A: 'b' } },
    ],
    [
      'Codex',
      'config.toml',
      'model = "o"\n[mcp_servers.a]\ncommand = "x"\nargs = ["1"]\nstartup_timeout_sec = 20\ntool_timeout_sec = 60.5\n[mcp_servers.a.env]\nA = "b"\n',
      { command: 'x', args: ['1'], env: { A: 'b' }, connectTimeoutMs: 20_000, callTimeoutMs: 60_500 },
    ],
    [
      'Codex with an address',
      'config.toml',
      '[mcp_servers.a]\nurl = "https://h/mcp"\nbearer_token_env_var = "TOKEN"\nenabled_tools = ["read"]\ndisabled_tools = ["rm"]\n[mcp_servers.a.env_http_headers]\nX = "TOKEN"\n',
      {
        url: 'https://h/mcp',
        headers: { X: 'hunter2', Authorization: 'Bearer hunter2' },
        allow: ['read'],
        deny: ['rm'],
      },
    ],
    [
      'Gemini CLI',
      '.gemini/settings.json',
      json({
        mcpServers: {
          a: { command: 'x', env: { T: '$TOKEN' }, timeout: 600_000, includeTools: ['read'], excludeTools: ['rm'] },
        },
      }),
      { command: 'x', env: { T: 'hunter2' }, allow: ['read'], deny: ['rm'] },
    ],
    [
      'opencode',
      'opencode.json',
      json({
        $schema: 's',
        mcp: { a: { type: 'local', command: ['x', '1'], environment: { T: '{env:TOKEN}' }, enabled: true } },
      }),
      { type: 'stdio', command: 'x', args: ['1'], env: { T: 'hunter2' } },
    ],
    [
      'opencode with an address',
      'opencode.jsonc',
      '{ // mine\n"mcp": { "a": { "type": "remote", "url": "https://h/mcp", "oauth": {}, }, } }',
      { url: 'https://h/mcp' },
    ],
    [
      'Cline',
      'cline_mcp_settings.json',
      json({ mcpServers: { a: { type: 'streamableHttp', url: 'https://h/mcp', disabled: false, timeout: 60 } } }),
      { type: 'streamable-http', url: 'https://h/mcp', disabled: false },
    ],
    [
      'Continue',
      'config.yaml',
      `name: me\nversion: 1.0.0\nmcpServers:\n  - name: a\n    command: x\n    args: ["1"]\n    env:\n      T: \${{ secrets.TOKEN }}\n`,
      { command: 'x', args: ['1'], env: { T: 'hunter2' } },
    ],
    [
      'Continue with an address',
      'config.yaml',
      'mcpServers:\n  - name: a\n    type: streamable-http\n    url: https://h/mcp\n    requestOptions: { headers: { A: b } }\n',
      { type: 'streamable-http', url: 'https://h/mcp', headers: { A: 'b' } },
    ],
  ])('%s', (_, name, text, expected) => {
    const { mcpServers, unusableServers } = read(name, text, env);
    expect(unusableServers).toEqual([]);
    expect(mcpServers.a).toEqual(expected);
  });

  it('invalid TOML is reported with its line, without quoting it', () => {
    expect(() => read('config.toml', 'a = 1\nkey = "hunter2\n')).toThrow(
      /config\.toml:2: The document is not valid TOML/,
    );
    expect(() => read('config.toml', 'a = 1\nkey = "hunter2\n')).not.toThrow(/hunter2/);
  });

  it('an entry of a list without a name is named by its position', () => {
    const { unusableServers } = read('config.yaml', 'mcpServers:\n  - command: x\n  - uses: someone/some-mcp\n');
    expect(unusableServers.map(({ name, line }) => [name, line])).toEqual([['mcpServers[1]', 3]]);
    expect(unusableServers[0]?.reason).toMatch(/Continue's hub/);
  });

  it('lines of TOML tables are found', () => {
    const { unusableServers } = read('config.toml', '# mine\n\n[mcp_servers.a]\nargs = ["1"]\n');
    expect(unusableServers).toMatchObject([{ name: 'a', line: 3 }]);
  });
});

describe("a client's own restrictions", () => {
  it.each<[string, object, object]>([
    ['includeTools', { includeTools: ['read'] }, { allow: ['read'] }],
    ['includeTools without a tool', { includeTools: [] }, { allow: [] }],
    ['a list of tools', { tools: ['read'] }, { allow: ['read'] }],
    ['disabledTools', { disabledTools: ['rm'] }, { deny: ['rm'] }],
    ['two lists', { excludeTools: ['a'], disabledTools: ['b'] }, { deny: ['a', 'b'] }],
  ])('%s are kept', (_, entry, expected) => {
    const { mcpServers } = read('a.json', json({ mcpServers: { a: { command: 'x', ...entry } } }));
    expect(mcpServers.a).toEqual({ command: 'x', ...expected });
  });

  it.each<[string, object]>([
    ['Gemini CLI, excluded', { mcp: { excluded: ['b'] } }],
    ['Gemini CLI, not allowed', { mcp: { allowed: ['a'] } }],
    ['Gemini CLI, the older key', { excludeMCPServers: ['b'] }],
  ])('servers that %s leaves out are left out', (_, rules) => {
    const { mcpServers } = read('a.json', json({ ...rules, mcpServers: { a: { command: 'x' }, b: { command: 'y' } } }));
    expect(Object.keys(mcpServers)).toEqual(['a']);
  });

  it("opencode's patterns are kept for the servers they fit", () => {
    const mcp = {
      github: { type: 'local', command: ['g'] },
      files: { type: 'local', command: ['f'] },
      off: { type: 'local', command: ['o'] },
    };
    const text = json({
      mcp,
      tools: { 'github_delete*': false, 'off*': false, files_read: true },
      permission: { files_write: 'deny' },
    });
    const { mcpServers } = read('opencode.json', text);
    expect(mcpServers.github).toMatchObject({ deny: ['delete*'] });
    expect(mcpServers.files).toMatchObject({ deny: ['write'] });
    expect(mcpServers.off).toMatchObject({ deny: ['*'] });
  });

  it("Zed's denied tools are denied", () => {
    const agent = {
      tool_permissions: { tools: { 'mcp:a:rm': { default: 'deny' }, 'mcp:b:x': { default: 'confirm' } } },
    };
    const { mcpServers, notes } = read(
      'settings.json',
      json({ agent, context_servers: { a: { command: 'x' }, b: { command: 'y' } } }),
    );
    expect(mcpServers.a).toEqual({ command: 'x', deny: ['rm'] });
    expect(notes).toMatchObject([{ server: 'b', message: expect.stringContaining('asks before') }]);
  });

  it('approvals are reported, since they cannot be carried over', () => {
    const servers = {
      a: { command: 'x', autoApprove: ['read'] },
      b: { command: 'y', alwaysAllow: [] },
      c: { command: 'z', trust: true },
    };
    const { mcpServers, notes } = read('a.json', json({ mcpServers: servers }));
    expect(mcpServers.a).toEqual({ command: 'x' });
    expect(notes.map(({ server, message }) => [server, message.split(' ')[0]])).toEqual([
      ['a', 'autoApprove'],
      ['c', 'trust'],
    ]);
  });

  it('other unknown keys are reported once per server', () => {
    const { mcpServers, notes } = read(
      'a.json',
      json({ mcpServers: { a: { command: 'x', sandbox: {}, icon: 'i', description: 'd' } } }),
    );
    expect(mcpServers.a).toEqual({ command: 'x' });
    expect(notes).toMatchObject([{ server: 'a', message: 'unknown and ignored: sandbox' }]);
  });
});
