/** What a server of the measurement does beside serving: says where it listens, and how much it has worked when it is asked. */
export function announce(server) {
  answerMeter();
  // Longer than any pause of a measurement: a connection that is closed while a request is on its way would count as an error.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

/** CPU milliseconds of all threads so far. */
export function answerMeter() {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMs: (user + system) / 1000 });
  });
  // A measurement that was broken off leaves nothing behind.
  process.on('disconnect', () => process.exit(0));
}

export async function readBody(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
