// A middleware gives any model of the AI SDK tool search; `ai` executes the tools as ever.
// Run: npm run build && node examples/ai-sdk/search-tools.mjs   (no key needed: the model is scripted, below)
import { readEnableToolSearch } from '@quartermaster/core';
import { toolSearchMiddleware } from '@quartermaster/wires/ai-sdk';
import { jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { scriptedModel } from './scripted-model.mjs';

const inner = scriptedModel();
const middleware = toolSearchMiddleware({ settings: readEnableToolSearch('true') });
const model = wrapLanguageModel({ model: inner, middleware });

const tools = Object.fromEntries(
  ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
    ['find', 'create', 'delete'].map((verb) => [
      `${verb}_${thing}`,
      tool({
        description: `Use this to ${verb} a ${thing}.`,
        inputSchema: jsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
        execute: async ({ text }) => `${verb} ${thing}: ${text}, done`,
      }),
    ]),
  ),
);

const result = streamText({ model, tools, stopWhen: stepCountIs(5), prompt: 'What is the weather in Oslo?' });
for await (const part of result.fullStream) {
  if (part.type === 'tool-call') console.log('calls', part.toolName, part.input);
  if (part.type === 'tool-result') console.log('result', part.output);
}
console.log('model:', await result.text);
console.log('tools declared, call by call:', inner.counts.join(', '), `of ${Object.keys(tools).length}`);
