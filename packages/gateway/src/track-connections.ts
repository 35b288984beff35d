import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Ends those that have nothing under way now, and each of the others as soon as that is so. */
  end(): void;
}

/** Knows what a server's connections have under way: the server itself would wait for clients that keep theirs open. */
export function trackConnections(server: Server): Connections {
  const busy = new Map<Socket, number>();
  let isEnding = false;
  server.on('connection', (socket) => {
    busy.set(socket, 0);
    socket.once('close', () => busy.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const before = busy.get(socket);
    if (before === undefined) return;
    busy.set(socket, before + 1);
    response.once('close', () => {
      const count = busy.get(socket);
      // Where the client has gone, its connection was closed before its response, and is not to be kept.
      if (count === undefined) return;
      busy.set(socket, count - 1);
      if (isEnding && count === 1) socket.destroy();
    });
  });
  return {
    end() {
      isEnding = true;
      for (const [socket, count] of busy) if (count === 0) socket.destroy();
    },
  };
}
