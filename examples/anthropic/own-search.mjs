// A search of one's own on the Messages API: the client searches, and answers with references to what it found.
// Run: npm run build && node examples/anthropic/own-search.mjs   (no key needed: the host is scripted, below)
import Anthropic from '@anthropic-ai/sdk';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { deferred, toolReferenceResult, withToolSearch } from '@quartermaster/wires/anthropic';
import { findsAndCalls, startHost } from './scripted-host.mjs';

const host = await startHost(findsAndCalls);
// Anthropic's API expands references itself and needs no more than `new Anthropic()`; for any other host, this does it.
const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: host.url }), { form: 'client' });

const tools = ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
  ['find', 'create', 'delete'].map((verb) => ({
    name: `${verb}_${thing}`,
    description: `Use this to ${verb} a ${thing}.`,
    input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })),
);
const findTools = {
  name: 'find_tools',
  description: 'Finds tools for what you want to do.',
  input_schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const searcher = createEmbeddedSearcher(createSnapshot(parseTools(tools).tools));

/** The one call that is answered with references; all others go to real tools. */
async function answer({ id, name, input }) {
  if (name !== findTools.name) return { type: 'tool_result', tool_use_id: id, content: `${name}: ${input.text}, done` };
  const { hits, verdict } = await searcher.search({ query: input.query, limit: 3 });
  return toolReferenceResult(id, verdict === 'none' ? [] : hits.map(({ tool }) => tool.name));
}

const messages = [{ role: 'user', content: 'Will it rain in Oslo?' }];
for (;;) {
  const request = { model: 'any-model', max_tokens: 1000, messages, tools: [findTools, ...tools.map(deferred)] };
  const { content, stop_reason } = await client.messages.create(request);
  messages.push({ role: 'assistant', content });
  for (const block of content) console.log('model:', block.text ?? `${block.name} ${JSON.stringify(block.input)}`);
  if (stop_reason !== 'tool_use') break;
  const results = await Promise.all(content.filter(({ type }) => type === 'tool_use').map(answer));
  messages.push({ role: 'user', content: results });
  console.log('client:', JSON.stringify(results[0].content));
}
console.log('tools that the model was sent, request by request:', host.toolCounts.join(', '), `of ${tools.length + 1}`);
await host.close();
