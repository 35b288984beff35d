// Tool search in a loop of one's own, for any model: what to declare, what a call does, what to say.
// Run: npm run build && node examples/plain/search-tools.mjs   (no key needed: the model is scripted, below)
import { createToolbox, definitions, EMPTY_MEMORY } from '@quartermaster/core';
import { createArgumentChecker } from '@quartermaster/host/schema';
import { createEmbeddedSearcher } from '@quartermaster/semantic';
import { askModel, tools } from './scripted-model.mjs';

const messages = [{ role: 'user', text: 'What is the weather in Oslo?' }];
const execute = ({ name, arguments: input }) => `${name}: ${input.location}, done`;

const toolbox = createToolbox({
  ...{ tools, execute, searcher: createEmbeddedSearcher },
  checkArguments: createArgumentChecker(),
});
const plan = toolbox.plan();
for (let memory = EMPTY_MEMORY, answer; ; memory = answer.memory) {
  const reply = askModel({ system: plan.note, tools: definitions(toolbox.view(plan, memory)), messages });
  messages.push(reply);
  if (reply.call === undefined) break;
  answer = await toolbox.answer({ plan, call: reply.call, memory });
  messages.push({ role: 'tool', id: reply.call.id, text: answer.text });
}

for (const { role, text, call } of messages) console.log(`${role}:`, text ?? call);
const [after, before] = [plan.tokens.after, plan.tokens.before].map((tokens) => tokens.toLocaleString('en-US'));
console.log(`tokens for ${tools.length} tools: ${after} instead of ${before}`);
