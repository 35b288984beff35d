import { connect, createServer } from 'node:net';
import { listen } from '../../scripts/listen.mjs';

/** A wire between gateways and their database: it can be slow, and it can lead to another server. */
export async function openWire(targetPort) {
  let target = targetPort;
  let delayMs = 0;
  const sockets = new Set();
  const server = createServer((client) => {
    const host = connect({ host: '127.0.0.1', port: target });
    for (const [from, to] of [
      [client, host],
      [host, client],
    ]) {
      sockets.add(from);
      from.on('data', (chunk) => (delayMs === 0 ? to.write(chunk) : setTimeout(() => to.write(chunk), delayMs)));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  return {
    port: await listen(server),
    /** How long each packet takes, in milliseconds. */
    setDelay(ms) {
      delayMs = ms;
    },
    /** Connections end, and new ones lead elsewhere. */
    leadTo(port) {
      target = port;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
