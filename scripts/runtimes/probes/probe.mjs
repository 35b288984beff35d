// Finds and calls a tool, and tells which engine has searched. Nothing of any runtime.
import { createToolbox, EMPTY_MEMORY, readEnableToolSearch } from '@quartermaster/core';
import { createEmbeddedSearcher, modelProblem, provideModel } from '@quartermaster/semantic';
import { withToolSearch } from '@quartermaster/wires/anthropic';

export { provideModel };

export async function probe() {
  if (typeof withToolSearch !== 'function') throw new Error('wires has no withToolSearch');
  let engine = '';
  const toolbox = createToolbox({
    tools: [
      {
        name: 'refund_payment',
        description: 'Refund a payment in full',
        input_schema: { type: 'object', properties: {} },
      },
      { name: 'release_room', description: 'Cancel a booked room', input_schema: { type: 'object', properties: {} } },
    ],
    searcher(snapshot) {
      const searcher = createEmbeddedSearcher(snapshot);
      engine = searcher.engine;
      return searcher;
    },
    execute: (call) => `ran ${call.tool.name}`,
    settings: readEnableToolSearch('true'),
  });
  const plan = toolbox.plan();
  const ask = (name, input) =>
    toolbox.answer({ plan, call: { id: 'call_1', name, arguments: input }, memory: EMPTY_MEMORY });
  const found = await ask('tool_search', { query: 'refund a payment', limit: 1 });
  const called = await ask('tool_call', { name: 'refund_payment', arguments: {} });
  if (!found.text.includes('refund_payment') || called.text !== 'ran refund_payment') {
    throw new Error(`found ${found.text}; called ${called.text}`);
  }
  return { engine, problem: modelProblem() };
}
