import { answerFigures } from '../../lab/processes/answer-figures.mjs';

/** What a server of the measurement does beside serving: says where it listens, and how much it has worked when it is asked. */
export function announce(server) {
  answerFigures();
  // Longer than any pause of a measurement: a connection that is closed while a request is on its way would count as an error.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

export async function readBody(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
