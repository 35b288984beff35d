export const nav = [
  { text: 'MCP', link: '/guides/mcp' },
  { text: 'Gateway', link: '/guides/gateway' },
  { text: 'Library', link: '/guides/library' },
];

export const sidebar = [
  {
    text: 'Guides',
    items: [
      { text: 'MCP proxy', link: '/guides/mcp' },
      { text: 'Gateway', link: '/guides/gateway' },
      { text: 'Library', link: '/guides/library' },
      { text: 'Agent', link: '/guides/agent' },
      { text: 'Command line', link: '/guides/command-line' },
    ],
  },
];
