/** What people call a catalog. The one of all MCP servers has a name for requests only. */
export function catalogName(name: string): string {
  return name === 'mcpServers' ? 'all MCP servers' : name;
}
