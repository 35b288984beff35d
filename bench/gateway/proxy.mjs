// What a gateway is measured against: a bare Node proxy that parses and re-serialises what goes through it, and does nothing else.
// On two other paths it does less, so that the cost of each step can be told: `/receive` reads the body to its end, `/parse` also
// decodes and parses it; both then send a few bytes upstream, as a gateway does that holds the tools back.
import { Agent, createServer, request as send } from 'node:http';
import { announce, readBody } from './process.mjs';

const upstreamPort = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const FEW_BYTES = JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] });

announce(
  createServer(async (request, response) => {
    const body = await readBody(request);
    if (request.url === '/receive') return forward(FEW_BYTES, response);
    const value = JSON.parse(body.toString('utf8'));
    forward(request.url === '/parse' ? FEW_BYTES : JSON.stringify(value), response);
  }),
);

function forward(text, response) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options = { host: '127.0.0.1', port: upstreamPort, path: '/v1/messages', method: 'POST', agent, headers };
  send(options, async (answer) => {
    const type = answer.headers['content-type'];
    response.writeHead(answer.statusCode, { 'content-type': type });
    if (type === 'application/json') {
      response.end(JSON.stringify(JSON.parse((await readBody(answer)).toString('utf8'))));
      return;
    }
    answer.setEncoding('utf8');
    let rest = '';
    for await (const chunk of answer) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop();
      for (const event of events) response.write(rewrite(event));
    }
    response.end();
  }).end(text);
}

function rewrite(event) {
  const [name, data] = event.split('\ndata: ');
  return `${name}\ndata: ${JSON.stringify(JSON.parse(data))}\n\n`;
}
