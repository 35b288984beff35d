// Asks a gateway for its health again and again, and tells how long the answers since it was last asked have taken: what any other
// client would have waited for the event loop, seen from outside.
import { Agent, get } from 'node:http';
import { answerFigures } from './answer-figures.mjs';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const PAUSE_MS = 2;
let waits = [];
let lost = 0;

function ping() {
  const started = performance.now();
  const request = get({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
    response.resume();
    response.on('end', () => {
      waits.push(performance.now() - started);
      setTimeout(ping, PAUSE_MS);
    });
  });
  request.on('error', () => {
    lost += 1;
    setTimeout(ping, PAUSE_MS);
  });
}

ping();
answerFigures(() => {
  const sorted = waits.sort((a, b) => a - b);
  const told = { longestMs: sorted.at(-1) ?? 0, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0, lost };
  waits = [];
  lost = 0;
  return { ...told, pings: sorted.length };
});
process.send({ port });
