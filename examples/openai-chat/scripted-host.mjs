import { createServer } from 'node:http';

/** A host that knows functions and nothing else, with a model of four lines: it searches, calls what was found, then answers. */
export async function startHost() {
  const toolCounts = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    toolCounts.push(body.tools.length);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(completion(body, think(body))));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    toolCounts,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function think({ messages }) {
  const result = messages.findLast((message) => message.role === 'tool')?.content;
  if (result === undefined) return call('tool_search', { query: 'find the weather' });
  const found = result.startsWith('{') ? JSON.parse(result).matches?.[0]?.split('(')[0] : undefined;
  if (found !== undefined) return call('tool_call', { name: found, arguments: { text: 'Oslo' } });
  return { role: 'assistant', content: `The tool says: ${result}` };
}

function call(name, input) {
  const tool_calls = [{ id: 'call_0', type: 'function', function: { name, arguments: JSON.stringify(input) } }];
  return { role: 'assistant', content: null, tool_calls };
}

function completion({ model }, message) {
  const finish_reason = message.content === null ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  return { id: 'chatcmpl-0', object: 'chat.completion', created: 0, model, choices, usage };
}
