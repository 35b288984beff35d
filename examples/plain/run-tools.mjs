// A whole task without an SDK: the loop is ready-made, tools are searched for and run.
// Run: npm run build && node examples/plain/run-tools.mjs   (no key needed: the model is scripted, below)
import { runTools } from '@quartermaster/core';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { tools } from './scripted-model.mjs';

// A real one instead: { url: 'http://localhost:11434/v1', model: 'qwen3' }, or any other host of OpenAI's chat completions.
const model = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return { calls: [{ name: 'tool_search', arguments: { query: 'weather in a city now' } }] };
  const [match] = JSON.parse(results[0]).matches;
  const [name] = match.split('(');
  if (results.length === 1)
    return { calls: [{ name: 'tool_call', arguments: { name, arguments: { location: 'Oslo' } } }] };
  return { content: `The tool says: ${results[1]}` };
};

const { text, messages, rounds } = await runTools({
  model,
  tools: tools.map((tool) => ({ ...tool, execute: ({ location }) => `${tool.name}: ${location}, done` })),
  messages: 'What is the weather in Oslo?',
  searcher: createEmbeddedSearcher,
  onEvent: (event) => console.log(event),
});

console.log(text);
console.log(`${rounds} rounds, ${messages.length} messages`);
