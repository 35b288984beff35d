import { Agent, request as send } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 });

/**
 * Sends a body and reads the answer to its end: its text, and the milliseconds until its first byte and until its last. `isAlone`
 * opens a connection for it, where the last one may have timed out by now.
 */
export function ask({ port }, bytes, { path = '/v1/messages', method = 'POST', isAlone = false } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    const options = { host: '127.0.0.1', port, path, method, headers, agent: isAlone ? false : agent };
    const request = send(options, (response) => {
      let text = '';
      let firstMs;
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        firstMs ??= performance.now() - started;
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`status ${response.statusCode}: ${text.slice(0, 200)}`));
        else resolve({ text, firstMs, ms: performance.now() - started });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

/** Keeps a number of requests under way until so many are answered: the milliseconds of each, and of all. */
export async function load(server, bodies, { requests, concurrency }) {
  const times = [];
  let sent = 0;
  const started = performance.now();
  const work = async () => {
    while (sent < requests) {
      const body = bodies[sent % bodies.length];
      sent += 1;
      times.push((await ask(server, body)).ms);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { times, ms: performance.now() - started };
}
