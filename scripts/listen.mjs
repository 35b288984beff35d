import { once } from 'node:events';

/**
 * Listens on a free local port, and gives that port.
 * @param {import('node:net').Server} server
 */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
