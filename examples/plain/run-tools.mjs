// A whole task without an SDK: the loop is ready-made, tools are searched for and run.
// Run: npm run build && node examples/plain/run-tools.mjs   (no key needed: the model is scripted, below)
import { readEnableToolSearch, runTools } from '@quartermaster/core';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { tools } from './scripted-model.mjs';

// A real one instead: { url: 'http://localhost:11434/v1', model: 'qwen3' }, or any other host of OpenAI's chat completions.
const model = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return { calls: [{ name: 'tool_search', arguments: { query: 'find weather' } }] };
  const [match] = JSON.parse(results[0]).matches;
  if (results.length === 1)
    return { calls: [{ name: 'tool_call', arguments: { name: match.name, arguments: { text: 'Oslo' } } }] };
  return { content: `The tool says: ${results[1]}` };
};

const { text, messages, rounds } = await runTools({
  model,
  tools: tools.map((tool) => ({ ...tool, execute: ({ text: sent }) => `${tool.name}: ${sent}, done` })),
  messages: 'What is the weather in Oslo?',
  searcher: createEmbeddedSearcher,
  settings: readEnableToolSearch('true'), // always defer: these are too few for automatic
  onEvent: (event) => console.log(event),
});

console.log(text);
console.log(`${rounds} rounds, ${messages.length} messages`);
