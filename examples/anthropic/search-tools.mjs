// One line gives an Anthropic client tool search, on any host that speaks the Messages API.
// Run: npm run build && node examples/anthropic/search-tools.mjs   (no key needed: the host is scripted, below)
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { deferred, readSearches, regexSearchTool, withToolSearch } from '@quartermaster/wires/anthropic';
import { startHost } from './scripted-host.mjs';

const host = await startHost();
const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: host.url })); // the one line

const tools = ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
  ['find', 'create', 'delete'].map((verb) =>
    deferred(
      betaTool({
        name: `${verb}_${thing}`,
        description: `Use this to ${verb} a ${thing}.`,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run: ({ text }) => `${verb} ${thing}: ${text}, done`,
      }),
    ),
  ),
);

const runner = client.beta.messages.toolRunner({
  model: 'any-model',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
  tools: [regexSearchTool(), ...tools],
});

for await (const message of runner) {
  for (const search of readSearches(message)) console.log('searched', search.queries, 'found', search.outcome.names);
  for (const block of message.content) {
    if (block.type === 'text') console.log('model:', block.text);
    if (block.type === 'tool_use') console.log('calls', block.name, block.input);
  }
}
console.log('tools that the model was sent, request by request:', host.toolCounts.join(', '), `of ${tools.length}`);
await host.close();
