import type { McpServerSettings } from '@quartermaster/host/config';

/** A minimal MCP server in its own process with many small tools of about 30 tokens each. */
export function manyToolsServer(count: number): McpServerSettings {
  const script = `
const tools = Array.from({ length: ${count} }, (_, index) => ({
  name: 'report_' + index,
  description: 'Report number ' + index + ' of a year',
  inputSchema: { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] },
}));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'reports', version: '1' } }
    : { tools };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;
  return { command: process.execPath, args: ['-e', script] };
}
