// The model's host: answers every request with the same few words, whole or as a stream. What it does is told by the model's name:
// `claude-slow` takes its time between the words, `claude-flooding` sends many at once, `claude-searching` asks for a search first.
import { createServer } from 'node:http';
import { announce, readBody } from './process.mjs';

const WORDS = ['Hello', ', how', ' can', ' I', ' help', '?'];
const SLOW = { words: 20, pauseMs: 500 };
const FLOOD = { words: 20_000, text: 'So many words that no one can read them as fast as they come. ' };
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null };
const USAGE = { input_tokens: 10, output_tokens: 5 };
const WHOLE = JSON.stringify({
  ...MESSAGE,
  content: [{ type: 'text', text: WORDS.join('') }],
  stop_reason: 'end_turn',
  usage: USAGE,
});
const SEARCH = JSON.stringify({
  ...MESSAGE,
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'tool_search_tool_bm25', input: { query: 'list open invoices' } }],
  stop_reason: 'tool_use',
  usage: USAGE,
});

announce(
  createServer(async (request, response) => {
    const body = await readBody(request);
    const isSearch = body.includes('"model":"claude-searching"') && !body.includes('"tool_result"');
    const isModel = (name) => body.includes(`"model":"claude-${name}"`);
    if (body.includes('"stream":true')) return stream(response, isModel);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(isSearch ? SEARCH : WHOLE);
  }),
);

async function stream(response, isModel) {
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const delta = (text) => send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send({ type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, usage: USAGE } });
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  if (isModel('slow')) {
    for (let word = 0; word < SLOW.words; word += 1) {
      await new Promise((resolve) => setTimeout(resolve, SLOW.pauseMs));
      delta(`word ${word} `);
    }
  } else if (isModel('flooding')) {
    const closed = new Promise((resolve) => response.once('close', resolve));
    for (let word = 0; word < FLOOD.words && !response.destroyed; word += 1) {
      if (!delta(FLOOD.text)) await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
    }
  } else {
    for (const word of WORDS) delta(word);
  }
  send({ type: 'content_block_stop', index: 0 });
  send({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE });
  send({ type: 'message_stop' });
  response.end();
}
