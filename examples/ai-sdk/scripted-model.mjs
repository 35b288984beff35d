/** A language model of four lines that knows nothing of tool search: it searches, calls what was found, then answers. */
export function scriptedModel() {
  const counts = [];
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted-model',
    supportedUrls: {},
    counts,
    async doStream({ prompt, tools }) {
      counts.push(tools.length);
      const parts = [{ type: 'stream-start', warnings: [] }, ...think(prompt)];
      return { stream: ReadableStream.from(parts) };
    },
  };
}

function think(prompt) {
  const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
  const result = results.at(-1)?.output.value;
  if (result === undefined) return call('tool_search', { query: 'find weather' });
  const found = result.startsWith('{') ? JSON.parse(result).matches[0].split('(')[0] : undefined;
  if (found === undefined) return say(`The tool says: ${result}`);
  return call('tool_call', { name: found, arguments: { text: 'Oslo' } });
}

function call(toolName, input) {
  return [{ type: 'tool-call', toolCallId: 'call_0', toolName, input: JSON.stringify(input) }, finish('tool-calls')];
}

function say(delta) {
  return [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta },
    { type: 'text-end', id: '0' },
    finish('stop'),
  ];
}

function finish(unified) {
  const usage = { inputTokens: { total: 100 }, outputTokens: { total: 10 } };
  return { type: 'finish', finishReason: { unified }, usage };
}
