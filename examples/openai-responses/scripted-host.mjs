import { createServer } from 'node:http';

/** A host that knows functions and nothing else, with a model of four lines: it searches, calls what was found, then answers. */
export async function startHost() {
  const toolCounts = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    toolCounts.push(body.tools.length);
    response.setHeader('content-type', 'text/event-stream');
    response.end(
      events(body, think(body))
        .map((event, index) => `data: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`)
        .join(''),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    toolCounts,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function think({ input }) {
  const result = input.findLast((item) => item.type === 'function_call_output')?.output;
  if (result === undefined) return call('tool_search', { query: 'find the weather' });
  const found = result.startsWith('{') ? JSON.parse(result).matches?.[0]?.split('(')[0] : undefined;
  if (found !== undefined) return call('tool_call', { name: found, arguments: { text: 'Oslo' } });
  const content = [{ type: 'output_text', text: `The tool says: ${result}`, annotations: [] }];
  return { type: 'message', id: 'msg_0', role: 'assistant', status: 'completed', content };
}

function call(name, input) {
  const common = { id: 'fc_0', call_id: 'call_0', status: 'completed' };
  return { type: 'function_call', ...common, name, arguments: JSON.stringify(input) };
}

function events({ model }, item) {
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const response = {
    id: 'resp_0',
    object: 'response',
    created_at: 0,
    model,
    output: [],
    tools: [],
    status: 'in_progress',
  };
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ];
}
