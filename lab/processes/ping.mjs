// Asks a gateway for its health again and again, and tells the longest answer since it was last asked: what any other client would have
// waited for the event loop, seen from outside.
import { Agent, get } from 'node:http';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const PAUSE_MS = 2;
let longestMs = 0;

function ping() {
  const started = performance.now();
  const request = get({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
    response.resume();
    response.on('end', () => {
      longestMs = Math.max(longestMs, performance.now() - started);
      setTimeout(ping, PAUSE_MS);
    });
  });
  request.on('error', () => setTimeout(ping, PAUSE_MS));
}

ping();
process.on('message', () => {
  process.send({ longestMs });
  longestMs = 0;
});
process.on('disconnect', () => process.exit(0));
process.send({ port });
