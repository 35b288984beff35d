// One line gives a Gemini client tool search: models, chats, automatic function calling.
// Run: npm run build && node examples/gemini/search-tools.mjs   (no key needed: the host is scripted, below)
import { GoogleGenAI } from '@google/genai';
import { readEnableToolSearch } from '@quartermaster/core';
import { withToolSearch } from '@quartermaster/wires/gemini';
import { startHost } from './scripted-host.mjs';

const host = await startHost();
const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: host.url } });
const ai = withToolSearch(client, { settings: readEnableToolSearch('true') }); // the one line

const functionDeclarations = ['weather', 'mail', 'calendar', 'invoice', 'contact'].flatMap((thing) =>
  ['find', 'create', 'delete'].map((verb) => ({
    name: `${verb}_${thing}`,
    description: `Use this to ${verb} a ${thing}.`,
    parametersJsonSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })),
);

const chat = ai.chats.create({ model: 'gemini-3-pro', config: { tools: [{ functionDeclarations }] } });
const asked = await chat.sendMessage({ message: 'What is the weather in Oslo?' });
for (const { toolResponse } of asked.candidates[0].content.parts) {
  if (toolResponse?.toolType === 'TOOL_SEARCH') console.log('found', toolResponse.response.toolNames);
}
const [call] = asked.functionCalls;
console.log('calls', call.name, call.args);

const response = { output: 'Rain, 9 degrees' };
const answered = await chat.sendMessage({ message: [{ functionResponse: { name: call.name, response } }] });
console.log('model:', answered.text);
console.log('functions declared, request by request:', host.counts.join(', '), `of ${functionDeclarations.length}`);
await host.close();
