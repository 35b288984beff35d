/** How a client is pointed at a gateway. */
interface ClientSetup {
  readonly id: string;
  readonly name: string;
  /** The file that it belongs into, where it is not a command or code. */
  readonly place?: string;
  readonly lines: (origin: string, key: string) => string;
}

/** A server of an MCP client's settings. */
function served(block: string, entry: object): string {
  return JSON.stringify({ [block]: { quartermaster: entry } }, undefined, 2);
}

function bearer(key: string): object {
  return { headers: { Authorization: `Bearer ${key}` } };
}

export const CLIENTS: readonly ClientSetup[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    lines: (origin, key) =>
      `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_AUTH_TOKEN="${key}"\nexport ENABLE_TOOL_SEARCH=true\nclaude`,
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
    lines: (origin, key) =>
      `claude mcp add --transport http quartermaster ${origin}/mcp --header "Authorization: Bearer ${key}"`,
  },
  {
    id: 'cursor',
    name: 'Cursor, Windsurf',
    place: 'mcp.json',
    lines: (origin, key) => served('mcpServers', { url: `${origin}/mcp`, ...bearer(key) }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    place: '.vscode/mcp.json',
    lines: (origin, key) => served('servers', { type: 'http', url: `${origin}/mcp`, ...bearer(key) }),
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
    lines: (origin, key) => served('mcpServers', { httpUrl: `${origin}/mcp`, ...bearer(key) }),
  },
  {
    id: 'python',
    name: 'Python, search only',
    lines: (origin, key) =>
      `import httpx\nhits = httpx.post(\n    "${origin}/v1/catalogs/sample/search",\n    headers={"x-api-key": "${key}"},\n    json={"query": "refund a payment"},\n).json()`,
  },
  {
    id: 'curl',
    name: 'curl',
    lines: (origin, key) =>
      `curl ${origin}/v1/catalogs/sample/search -H "x-api-key: ${key}" -d '{"query": "refund a payment"}'`,
  },
];
