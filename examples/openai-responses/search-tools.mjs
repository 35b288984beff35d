// One line gives an OpenAI client tool search in responses, on any host that speaks that API.
// Run: npm run build && node examples/openai-responses/search-tools.mjs   (no key needed: the host is scripted, next door)
import { withToolSearch } from '@quartermaster/wires/openai-responses';
import OpenAI from 'openai';
import { startHost } from './scripted-host.mjs';

const host = await startHost();
const client = withToolSearch(new OpenAI({ apiKey: 'none', baseURL: host.url })); // the one line

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const functions = ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
  ['find', 'create', 'delete'].map((verb) => ({
    ...{ type: 'function', name: `${verb}_${thing}`, description: `Use this to ${verb} a ${thing}.` },
    ...{ parameters, strict: false, defer_loading: true },
  })),
);
const tools = [{ type: 'tool_search' }, ...functions];
const input = [{ role: 'user', content: 'What is the weather in Oslo?' }];

for (let isDone = false; !isDone; ) {
  const stream = client.responses.stream({ model: 'any-model', input, tools });
  const { output, output_text } = await stream.finalResponse();
  const calls = output.filter((item) => item.type === 'function_call');
  for (const item of output) {
    if (item.type === 'tool_search_call') console.log('searched', item.arguments);
    if (item.type === 'tool_search_output')
      console.log(
        'found',
        item.tools.map((tool) => tool.name),
      );
    if (item.type === 'function_call') console.log('calls', item.name, item.arguments);
  }
  input.push(
    ...output,
    ...calls.map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: `${name}: rain` })),
  );
  isDone = calls.length === 0;
  if (isDone) console.log('model:', output_text);
}
console.log('tools that the model was sent, request by request:', host.toolCounts.join(', '), `of ${functions.length}`);
await host.close();
