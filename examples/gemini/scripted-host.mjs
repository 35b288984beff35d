import { createServer } from 'node:http';

/** A host that knows nothing of tool search, with a model of four lines: it searches, calls what was found, then answers. */
export async function startHost() {
  const counts = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    counts.push(body.tools[0].functionDeclarations.length);
    const content = { role: 'model', parts: [think(body)] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ candidates: [{ content, finishReason: 'STOP', index: 0 }] }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function think({ contents }) {
  const result = contents.flatMap(({ parts }) => parts).findLast((part) => part.functionResponse)?.functionResponse;
  if (result === undefined) return { functionCall: { name: 'tool_search', args: { query: 'find weather' } } };
  const found = result.response.matches?.[0]?.split('(')[0];
  if (found === undefined) return { text: `The tool says: ${result.response.output}` };
  return { functionCall: { name: 'tool_call', args: { name: found, arguments: { text: 'Oslo' } } } };
}
