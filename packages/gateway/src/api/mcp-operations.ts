import type { Operation } from './api.ts';
import type { Schema } from './schema.ts';

const endpoint = 'mcp';

/** As defined by the protocol. */
const JSON_RPC: Schema = { type: 'object' };

export const MCP_POST: Operation = {
  endpoint,
  summary: 'All configured MCP servers as one server, over Streamable HTTP.',
  body: JSON_RPC,
  answer: JSON_RPC,
};
export const MCP_GET: Operation = {
  endpoint,
  summary: 'Opens a stream of messages from the MCP servers.',
  answer: { type: 'string' },
  answerType: 'text/event-stream',
};
export const MCP_DELETE: Operation = { endpoint, summary: 'Ends an MCP session.' };
