/** Files as clients and their users write them: comments, tabs, line ends and other settings included. */
export interface ClientFileSample {
  readonly client: string;
  /** Below the home folder, on Linux. */
  readonly path: string;
  readonly text: string;
  readonly moved: readonly string[];
  readonly stays?: readonly string[];
}

const reference = (name: string): string => `\${${name}}`;

export const SAMPLES: readonly ClientFileSample[] = [
  {
    client: 'claude-code',
    path: '.claude.json',
    text: JSON.stringify(
      {
        numStartups: 41,
        theme: 'dark',
        mcpServers: {
          github: {
            type: 'http',
            url: 'https://api.example.com/mcp',
            headers: { Authorization: `Bearer ${reference('GH')}` },
          },
          files: { type: 'stdio', command: 'npx', args: ['-y', 'server-files', '/home/me'], env: {} },
        },
        projects: { '/home/me/app': { mcpServers: { local: { command: 'x' } }, history: [] } },
      },
      null,
      2,
    ),
    moved: ['github', 'files'],
  },
  {
    client: 'claude-desktop',
    path: '.config/Claude/claude_desktop_config.json',
    text: `{\r\n    "mcpServers": {\r\n        "remote": {\r\n            "command": "npx",\r\n            "args": ["mcp-remote", "https://h/mcp", "--header", "Authorization:${reference('AUTH')}"],\r\n            "env": { "AUTH": "Bearer hunter2" }\r\n        }\r\n    },\r\n    "globalShortcut": ""\r\n}\r\n`,
    moved: ['remote'],
  },
  {
    client: 'cursor',
    path: '.cursor/mcp.json',
    text: `\uFEFF{\n\t"mcpServers": {\n\t\t"app": { "command": "${reference('workspaceFolder')}/bin/mcp", "envFile": ".env" },\n\t\t"notes": {"url":"https://h/mcp"}\n\t}\n}`,
    moved: ['app', 'notes'],
  },
  {
    client: 'vscode',
    path: '.config/Code/User/mcp.json',
    text: `{
  // Asked once.
  "inputs": [{ "id": "token", "type": "promptString", "description": "Token", "password": true }],
  "servers": {
    /* the tracker */
    "tracker": { "type": "http", "url": "https://h/mcp", "headers": { "Authorization": "Bearer ${reference('input:token')}" } },
    "gh": { "type": "stdio", "command": "gh", "args": ["mcp"], }, // trailing comma
  },
}
`,
    moved: ['tracker', 'gh'],
  },
  {
    client: 'windsurf',
    path: '.codeium/windsurf/mcp_config.json',
    text: JSON.stringify(
      {
        mcpServers: { a: { serverUrl: 'https://h/mcp', disabledTools: ['rm'] }, off: { command: 'x', disabled: true } },
      },
      null,
      2,
    ),
    moved: ['a'],
    stays: ['off'],
  },
  {
    client: 'zed',
    path: '.config/zed/settings.json',
    text: `// Zed settings
//
{
  "theme": "One Dark", // mine
  "context_servers": {
    "mcp-server-context7": { "source": "extension", "enabled": true, "settings": {} },
    "old": { "command": { "path": "npx", "args": ["-y", "old"], "env": null }, "settings": {} },
    "new": { "source": "custom", "command": "npx", "args": ["-y", "new"], "env": {} },
  },
  "vim_mode": true,
}
`,
    moved: ['old', 'new'],
    stays: ['mcp-server-context7'],
  },
  {
    client: 'codex',
    path: '.codex/config.toml',
    text: `# Codex
model = "o9"

[mcp_servers.docs]
command = "npx" # fast
args = [
  "-y",
  "docs-mcp",
]
enabled_tools = ["search"]

[mcp_servers.docs.env]
KEY = "hunter2"

# my trackers
[mcp_servers."the tracker"]
url = "https://h/mcp"
bearer_token_env_var = "TRACKER"

[profiles.fast]
model = "o9-mini"
`,
    moved: ['docs', 'the tracker'],
  },
  {
    client: 'gemini',
    path: '.gemini/settings.json',
    text: `{
  "selectedAuthType": "oauth-personal",
  "mcpServers": {
    "nine": { "command": "nine", "env": { "T": "$TOKEN" }, "includeTools": ["one"], "trust": true }
  },
  "theme": "GitHub"
}
`,
    moved: ['nine'],
  },
  {
    client: 'opencode',
    path: '.config/opencode/opencode.json',
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "tools": { "jira_delete*": false },
  "mcp": {
    "jira": { "type": "remote", "url": "https://h/mcp", "headers": { "A": "{env:JIRA}" }, "enabled": true },
    "off": { "type": "local", "command": ["x"], "enabled": false }
  }
}
`,
    moved: ['jira'],
    stays: ['off'],
  },
  {
    client: 'cline',
    path: '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    text: JSON.stringify(
      {
        mcpServers: {
          a: { command: 'a', autoApprove: ['x'], disabled: false, timeout: 60 },
          b: { type: 'streamableHttp', url: 'https://h/mcp' },
        },
      },
      null,
      2,
    ),
    moved: ['a', 'b'],
  },
  {
    client: 'continue',
    path: '.continue/config.yaml',
    text: `name: Mine
version: 1.0.0
schema: v1
models: # none yet
  []
mcpServers:
  # the browser
  - name: Playwright
    command: npx
    args: ["@playwright/mcp@latest"]
  - uses: someone/hub-mcp
  - name: tracker
    type: sse
    url: https://h/mcp
    requestOptions:
      headers:
        Authorization: Bearer ${reference('{ secrets.TRACKER }')}
rules:
  - Be brief # always
`,
    moved: ['Playwright', 'tracker'],
    stays: ['mcpServers[1]'],
  },
];
