export const nav = [
  { text: 'Get started', link: '/start/mcp-servers', activeMatch: '^/start/' },
  { text: 'Concepts', link: '/concepts/deferral', activeMatch: '^/(concepts/|measured)' },
  { text: 'Guides', link: '/guides/mcp', activeMatch: '^/(guides|clients)/' },
  { text: 'Reference', link: '/reference/configuration', activeMatch: '^/reference/' },
  { text: 'Operations', link: '/operations/', activeMatch: '^/(operations/|scale)' },
];

export const sidebar = [
  {
    text: 'Get started',
    items: [
      page('I run MCP servers', '/start/mcp-servers'),
      page('I write agents', '/start/agents'),
      page('I run a platform', '/start/platform'),
    ],
  },
  {
    text: 'Concepts',
    items: [
      page('How deferral works', '/concepts/deferral'),
      page('Which form, when and why', '/concepts/forms'),
      page('The prompt cache', '/concepts/prompt-cache'),
      page('What a search costs and saves', '/concepts/cost'),
      page('One request, step by step', '/concepts/one-request'),
      page('How retrieval is measured', '/measured'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('MCP proxy', '/guides/mcp'),
      page('Gateway', '/guides/gateway'),
      page('Library', '/guides/library'),
      page('Agent', '/guides/agent'),
      page('Command line', '/guides/command-line'),
      page('Examples', '/examples/README'),
    ],
  },
  {
    text: 'Clients',
    items: [
      page('All clients', '/clients/'),
      page('Claude Code', '/clients/claude-code'),
      page('Claude Desktop', '/clients/claude-desktop'),
      page('Cursor', '/clients/cursor'),
      page('VS Code', '/clients/vscode'),
      page('Windsurf', '/clients/windsurf'),
      page('Zed', '/clients/zed'),
      page('Codex', '/clients/codex'),
      page('Gemini CLI', '/clients/gemini-cli'),
      page('opencode', '/clients/opencode'),
      page('Cline', '/clients/cline'),
      page('Continue', '/clients/continue'),
    ],
  },
  {
    text: 'Moving from',
    items: [
      page('Anthropic’s tool search', '/migrate/anthropic'),
      page('OpenAI’s tool search', '/migrate/openai'),
      page('FastMCP', '/migrate/fastmcp'),
      page('LiteLLM', '/migrate/litellm'),
      page('MCPProxy', '/migrate/mcpproxy'),
      page('Compared with others', '/comparison'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Configuration', '/reference/configuration'),
      page('Command line', '/reference/command-line'),
      page('HTTP API', '/reference/http-api'),
      page('TypeScript API', '/reference/api/'),
      page('Errors', '/reference/errors'),
      page('Metrics', '/reference/metrics'),
      page('Events', '/reference/events'),
      page('Compared with the agent SDK', '/reference/agent-sdk'),
      page('MCP conformance', '/reference/conformance'),
    ],
  },
  {
    text: 'Operations',
    items: [
      page('Overview', '/operations/'),
      page('PostgreSQL', '/operations/postgresql'),
      page('Replicas and probes', '/operations/replicas'),
      page('Backup', '/operations/backup'),
      page('Keys', '/operations/keys'),
      page('Upgrades', '/operations/upgrade'),
      page('Dashboards and alerts', '/operations/monitoring'),
      page('Sizing', '/operations/sizing'),
      page('Large catalogs', '/scale'),
      page('Reliability', '/operations/reliability'),
      page('Containers', '/deploy/README'),
    ],
  },
  {
    text: 'More',
    items: [
      page('Troubleshooting', '/troubleshooting'),
      page('FAQ', '/faq'),
      page('Glossary', '/glossary'),
      page('Security and threat model', '/SECURITY'),
      page('Architecture', '/ARCHITECTURE'),
      page('Contributing', '/CONTRIBUTING'),
      page('Changelog', '/CHANGELOG'),
    ],
  },
];

function page(text, link) {
  return { text, link };
}
