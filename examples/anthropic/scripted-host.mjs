import { createServer } from 'node:http';

/**
 * A host that knows nothing of tool search, with a model of four lines: it searches, calls what was found, then answers.
 */
export async function startHost(think = searchesAndCalls) {
  const toolCounts = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    toolCounts.push(body.tools.length);
    const content = think(body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(message(body, content)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    toolCounts,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function searchesAndCalls({ messages, tools }) {
  const result = latestResult(messages);
  if (result === undefined) return [call(tools[0].name, { pattern: 'find_.*weather' })];
  const found = JSON.parse(`${result}`.startsWith('{') ? result : '{}').matches?.[0]?.name;
  if (found === undefined) return [{ type: 'text', text: `The tool says: ${JSON.stringify(result)}` }];
  return [call('tool_call', { name: found, arguments: { text: 'Oslo' } })];
}

/** The same, where what was found joins the tools: the client has a search tool of its own. */
export function findsAndCalls({ messages, tools: [search, found] }) {
  const result = latestResult(messages);
  if (result === undefined) return [call(search.name, { query: 'look up the weather forecast' })];
  if (found === undefined || `${result}`.endsWith('done')) return [{ type: 'text', text: `The tool says: ${result}` }];
  return [call(found.name, { text: 'Oslo' })];
}

function latestResult(messages) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.findLast((block) => block.type === 'tool_result')?.content;
}

function call(name, input) {
  return { type: 'tool_use', id: 'toolu_0', name, input };
}

function message({ model }, content) {
  const stop_reason = content[0].type === 'tool_use' ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 100, output_tokens: 10 };
  return { id: 'msg_0', type: 'message', role: 'assistant', model, content, stop_reason, stop_sequence: null, usage };
}
