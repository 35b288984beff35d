import { type IncomingMessage, type Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecure, type Agent as SecureAgent } from 'node:https';

/** One for each scheme. */
export interface Agents {
  readonly plain: PlainAgent;
  readonly secure: SecureAgent;
}

export interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly agents: Agents;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request on Node's own client. Follows nothing; rejects with what went wrong, or with the signal's reason. */
export function sendRequest(url: URL, { method, headers, body, agents, signal }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request =
      url.protocol === 'https:'
        ? requestSecure(url, { method, headers, agent: agents.secure })
        : requestPlain(url, { method, headers, agent: agents.plain });
    const abort = (): void => {
      request.destroy(new Error('aborted'));
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', abort));
    request.once('response', resolve);
    request.on('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
    request.end(body);
  });
}
