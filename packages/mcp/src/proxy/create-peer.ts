import type { ClientCapabilities, Server } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import { ANY_RESULT, type Peer } from '../hub/index.ts';
import type { Session } from './session.ts';
import { encodeTask } from './task-ids.ts';

/** People answer, so there is plenty of time. */
const ANSWER_TIMEOUT_MS = 600_000;

/** The client behind an endpoint, as servers address it. */
export function createPeer(endpoint: Server, session: Session, capabilities: ClientCapabilities): Peer {
  return {
    capabilities,
    request({ server, method, params }, { signal }) {
      const request = { method, params: encodeTask(params, server) };
      const options = { signal, timeout: ANSWER_TIMEOUT_MS };
      // Along with the request that it belongs to: over HTTP, only its stream is certain to be open.
      const running = session.latest(server);
      if (running?.ask !== undefined) return running.ask(request, signal);
      const message = { method, params: { ...request.params } };
      if (running !== undefined) return running.context.mcpReq.send(message, ANY_RESULT, options);
      return endpoint.request(message, ANY_RESULT, options);
    },
    notify({ server, method, params }) {
      const told = method === 'notifications/message' ? { logger: server, ...params } : encodeTask(params, server);
      endpoint.notification({ method, params: { ...(told satisfies JsonObject) } }).catch(() => {});
    },
  };
}
