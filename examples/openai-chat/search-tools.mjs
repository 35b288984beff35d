// One line gives an OpenAI client tool search in chat completions, on any host that speaks that API.
// Run: npm run build && node examples/openai-chat/search-tools.mjs   (no key needed: the host is scripted, next door)
import { readEnableToolSearch } from '@quartermaster/core';
import { withToolSearch } from '@quartermaster/wires/openai-chat';
import OpenAI from 'openai';
import { startHost } from './scripted-host.mjs';

const host = await startHost();
const settings = readEnableToolSearch('true'); // left out, tools are held back from 10% of the context window on
const client = withToolSearch(new OpenAI({ apiKey: 'none', baseURL: host.url }), { settings }); // the one line

const tools = ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
  ['find', 'create', 'delete'].map((verb) => ({
    type: 'function',
    function: {
      name: `${verb}_${thing}`,
      description: `Use this to ${verb} a ${thing}.`,
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      parse: JSON.parse,
      function: ({ text }) => `${verb} ${thing}: ${text}, done`,
    },
  })),
);

const runner = client.chat.completions
  .runTools({ model: 'any-model', messages: [{ role: 'user', content: 'What is the weather in Oslo?' }], tools })
  .on('functionToolCall', (call) => console.log('calls', call.name, call.arguments));

console.log('model:', await runner.finalContent());
console.log('tools that the model was sent, request by request:', host.toolCounts.join(', '), `of ${tools.length}`);
await host.close();
