import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { InProcessSettings } from '../hub/index.ts';

export interface SmallServer extends InProcessSettings {
  /** Every instance made so far, one per connection. */
  readonly instances: McpServer[];
}

/** A server in this process with the given tools, each of which answers with its name and the text that it was sent. */
export function smallServer(tools: () => Readonly<Record<string, string>>): SmallServer {
  const instances: McpServer[] = [];
  const create = (): McpServer => {
    const server = new McpServer({ name: 'small', version: '1.0.0' });
    instances.push(server);
    const inputSchema = z.object({ text: z.string().optional() });
    for (const [name, description] of Object.entries(tools())) {
      server.registerTool(name, { description, inputSchema }, ({ text = '' }) => ({
        content: [{ type: 'text', text: `${name}: ${text}` }],
      }));
    }
    return server;
  };
  return { type: 'in-process', create, instances };
}
