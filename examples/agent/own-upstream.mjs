// A model of your own behind the agent: an upstream is an object that answers requests of the Messages API. This one is a few lines
// that search for what the user said, call the first tool that was found, and quote its result.
// Run: npm run build && node examples/agent/own-upstream.mjs   (no key, no network)
import { createSdkMcpServer, query, tool } from '@quartermaster/agent';
import { anthropicWhole } from '@quartermaster/wires/anthropic';
import { z } from 'zod';

const weather = tool('get_weather', 'Tells the weather of a city', { city: z.string().optional() }, async () => ({
  content: [{ type: 'text', text: 'rain, 12 °C' }],
}));

/** One whole response to a request: its tools, system prompt and messages are in `request`. */
async function whole(request, _signal) {
  const last = request.messages.at(-1).content;
  const result = Array.isArray(last) && last.find(({ type }) => type === 'tool_result');
  const found = request.tools.find(({ name }) => name.startsWith('mcp__'));
  const block = found
    ? { type: 'tool_use', id: 'toolu_call', name: found.name, input: {} }
    : { type: 'tool_use', id: 'toolu_search', name: 'tool_search', input: { query: 'weather of a city' } };
  const isDone = result && result.tool_use_id === 'toolu_call';
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: isDone ? [{ type: 'text', text: `The tool says: ${result.content[0].text}` }] : [block],
    stop_reason: isDone ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

const upstream = {
  dialect: 'anthropic',
  transport: 'ai-sdk', // plain functions; 'anthropic-messages' where the host expands tool references
  defaultModel: 'my-model',
  whole,
  // The same as events, as they come. A model that does not stream is taken apart.
  async *stream(request, signal) {
    yield* anthropicWhole.toParts(await whole(request, signal));
  },
  forClient: () => upstream,
};

const options = {
  upstream,
  mcpServers: { office: createSdkMcpServer({ name: 'office', tools: [weather] }) },
  allowedTools: ['mcp__office'],
  persistSession: false,
};
for await (const message of query({ prompt: 'What is the weather in Oslo?', options })) {
  if (message.type === 'assistant')
    console.log(message.message.content.map(({ type, name }) => `${type} ${name ?? ''}`).join(', '));
  if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.errors);
}
