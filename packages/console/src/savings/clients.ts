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

/** Stands for a key where the gateway has none: clients that insist on one get this. */
export const NO_KEY = 'none';

/** Settings files expand no variable that all of these clients know. */
function bearer(secret = 'YOUR_KEY'): object {
  if (secret === NO_KEY) return {};
  return { headers: { Authorization: `Bearer ${secret}` } };
}

const SHELL_KEY = '$QUARTERMASTER_KEY';

/** A key in code comes from the environment, even one that was just made. */
function inCode(secret?: string): string {
  return secret === NO_KEY ? `'${NO_KEY}'` : 'process.env.QUARTERMASTER_KEY';
}

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
    lines: (origin, secret) =>
      `import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic({ baseURL: '${origin}', apiKey: ${inCode(secret)} });`,
  },
  {
    id: 'openai-sdk',
    name: 'OpenAI SDK',
    lines: (origin, secret) =>
      `import OpenAI from 'openai';\nconst client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${inCode(secret)} });`,
  },
  {
    id: 'ai-sdk',
    name: 'AI SDK',
    lines: (origin, secret) =>
      `import { createAnthropic } from '@ai-sdk/anthropic';\nconst anthropic = createAnthropic({ baseURL: '${origin}/v1', apiKey: ${inCode(secret)} });`,
  },
  {
    id: 'claude-mcp',
    name: 'Claude Code, tools only',
    lines: (origin, secret) =>
      `claude mcp add --transport http quartermaster ${origin}/mcp${secret === NO_KEY ? '' : ` --header "Authorization: Bearer ${secret ?? SHELL_KEY}"`}`,
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
    lines: (origin, secret) =>
      `[mcp_servers.quartermaster]\nurl = "${origin}/mcp"${secret === NO_KEY ? '' : '\nbearer_token_env_var = "QUARTERMASTER_KEY"'}`,
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
    lines: pythonSearch,
  },
  {
    id: 'curl',
    name: 'curl',
    lines: (origin, secret) =>
      `curl ${origin}/v1/catalogs/sample/search${secret === NO_KEY ? '' : ` -H "x-api-key: ${secret ?? SHELL_KEY}"`} -d '{"query": "refund a payment"}'`,
  },
];

function pythonSearch(origin: string, secret?: string): string {
  const key = secret === undefined ? 'os.environ["QUARTERMASTER_KEY"]' : `"${secret}"`;
  return [
    ...(secret === undefined ? ['import os'] : []),
    'import httpx',
    'hits = httpx.post(',
    `    "${origin}/v1/catalogs/sample/search",`,
    ...(secret === NO_KEY ? [] : [`    headers={"x-api-key": ${key}},`]),
    '    json={"query": "refund a payment"},',
    ').json()',
  ].join('\n');
}
