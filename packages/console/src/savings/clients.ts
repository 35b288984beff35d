/** How a client is pointed at a gateway. */
interface ClientSetup {
  readonly id: string;
  readonly name: string;
  /** The file that it belongs into, where it is not a command or code. */
  readonly place?: string;
  /** Without a secret, the lines read it from the environment, or have a place for it. */
  readonly lines: (origin: string, secret?: string) => string;
}

/** A server of an MCP client's settings. */
function served(block: string, entry: object): string {
  return JSON.stringify({ [block]: { quartermaster: entry } }, undefined, 2);
}

/** Settings files expand no variable that all of these clients know. */
function bearer(secret = 'YOUR_KEY'): object {
  return { headers: { Authorization: `Bearer ${secret}` } };
}

const SHELL_KEY = '$QUARTERMASTER_KEY';

export const CLIENTS: readonly ClientSetup[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    lines: (origin, secret) =>
      `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_AUTH_TOKEN="${secret ?? SHELL_KEY}"\nexport ENABLE_TOOL_SEARCH=true\nclaude`,
  },
  {
    id: 'anthropic-sdk',
    name: 'Anthropic SDK',
    lines: (origin) =>
      `import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.QUARTERMASTER_KEY });`,
  },
  {
    id: 'openai-sdk',
    name: 'OpenAI SDK',
    lines: (origin) =>
      `import OpenAI from 'openai';\nconst client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.QUARTERMASTER_KEY });`,
  },
  {
    id: 'ai-sdk',
    name: 'AI SDK',
    lines: (origin) =>
      `import { createAnthropic } from '@ai-sdk/anthropic';\nconst anthropic = createAnthropic({ baseURL: '${origin}/v1', apiKey: process.env.QUARTERMASTER_KEY });`,
  },
  {
    id: 'claude-mcp',
    name: 'Claude Code, tools only',
    lines: (origin, secret) =>
      `claude mcp add --transport http quartermaster ${origin}/mcp --header "Authorization: Bearer ${secret ?? SHELL_KEY}"`,
  },
  {
    id: 'cursor',
    name: 'Cursor, Windsurf',
    place: 'mcp.json',
    lines: (origin, secret) => served('mcpServers', { url: `${origin}/mcp`, ...bearer(secret) }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    place: '.vscode/mcp.json',
    lines: (origin, secret) => served('servers', { type: 'http', url: `${origin}/mcp`, ...bearer(secret) }),
  },
  {
    id: 'codex',
    name: 'Codex',
    place: '~/.codex/config.toml',
    lines: (origin) => `[mcp_servers.quartermaster]\nurl = "${origin}/mcp"\nbearer_token_env_var = "QUARTERMASTER_KEY"`,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    place: '~/.gemini/settings.json',
    lines: (origin, secret) => served('mcpServers', { httpUrl: `${origin}/mcp`, ...bearer(secret) }),
  },
  {
    id: 'python',
    name: 'Python, search only',
    lines: (origin, secret) =>
      `${secret === undefined ? 'import os\n' : ''}import httpx\nhits = httpx.post(\n    "${origin}/v1/catalogs/sample/search",\n    headers={"x-api-key": ${secret === undefined ? 'os.environ["QUARTERMASTER_KEY"]' : `"${secret}"`}},\n    json={"query": "refund a payment"},\n).json()`,
  },
  {
    id: 'curl',
    name: 'curl',
    lines: (origin, secret) =>
      `curl ${origin}/v1/catalogs/sample/search -H "x-api-key: ${secret ?? SHELL_KEY}" -d '{"query": "refund a payment"}'`,
  },
];
