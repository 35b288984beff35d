import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  type McpHttpHandler,
  McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface ModernHandler {
  readonly handler: McpHttpHandler;
  /** The handler as the network. */
  readonly fetch: typeof globalThis.fetch;
}

/** A server of the newer revision over HTTP, with a tool that asks before it answers and one that needs a header. */
export function modernHandler(tools: () => readonly string[] = () => []): ModernHandler {
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'modern', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool('ask', { description: 'Asks for a name', inputSchema: z.object({}) }, (_, context) => {
      const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'name');
      if (answer !== undefined) return { content: [{ type: 'text', text: `Hello ${answer.name}` }] };
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
      return inputRequired({
        inputRequests: { name: inputRequired.elicit({ message: 'Your name?', requestedSchema }) },
      });
    });
    server.registerPrompt('greet', { description: 'Asks for a name' }, (context) => {
      const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'name');
      if (answer !== undefined) {
        return {
          messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Hello ${answer.name}` } }],
        };
      }
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
      return inputRequired({
        inputRequests: { name: inputRequired.elicit({ message: 'Your name?', requestedSchema }) },
      });
    });
    for (const name of tools()) {
      server.registerTool(name, { description: `The tool ${name}` }, () => ({
        content: [{ type: 'text', text: name }],
      }));
    }
    return server;
  });
  return { handler, fetch: (input, init) => handler.fetch(new Request(input, init)) };
}
