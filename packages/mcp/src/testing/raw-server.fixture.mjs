// A server over stdio that answers a call with the line that the call brings, and some methods not at all.
import { createInterface } from 'node:readline';

const { capabilities = {}, silent = [] } = JSON.parse(process.argv[2] ?? '{}');
const tools = [{ name: 'answer', description: 'Answers with a line', inputSchema: { type: 'object' } }];
let level = 'none';
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, ...capabilities },
    serverInfo: { name: 'raw', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'prompts/list': () => ({ prompts: [{ name: 'hello' }] }),
  'resources/list': () => ({ resources: [{ uri: 'raw://listed', name: 'listed' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'read' }] }),
  'logging/setLevel': (params) => {
    level = params.level;
    return {};
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || silent.includes(method)) return;
  if (method === 'tools/call') {
    const { line: answer, long = 0 } = params.arguments;
    const filled = answer.replace('$ID', id).replace('$LEVEL', level).replace('$LONG', 'x'.repeat(long));
    process.stdout.write(`${filled}\n`);
    return;
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) })}\n`);
});
