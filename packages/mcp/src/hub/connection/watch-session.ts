import { SdkHttpError, type Transport } from '@modelcontextprotocol/client';
import { McpError } from '../../errors.ts';
import type { Connection } from './connection.ts';

interface WatchOptions {
  /** The transport. Without a session there is nothing to lose. */
  readonly transport: Pick<Transport, 'sessionId'> | undefined;
  /** Called once, before the request that noticed it fails with a `ForgottenSessionError`. */
  readonly onForgotten: () => void;
  /** Closes a connection whose session is lost, at once. */
  readonly signal: AbortSignal;
  /** Receives a function that retires the connection for another reason: another one replaces it, and it closes once it is idle. */
  readonly onRetirable?: (retire: () => void) => void;
}

/**
 * Notices that the server has lost the connection's session, which it reports with status 404. Such a connection is of no
 * further use, and closes itself as soon as it is idle: requests sent earlier may still be answered.
 * See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export function watchSession(connection: Connection, options: WatchOptions): Connection {
  const { transport, onForgotten, signal } = options;
  let underWay = 0;
  let isForgotten = false;
  const close = (): void => {
    connection.close().catch(() => {});
  };
  const forget = (): void => {
    if (isForgotten) return;
    isForgotten = true;
    signal.addEventListener('abort', close, { once: true });
    onForgotten();
  };
  options.onRetirable?.(forget);
  const leave = (): void => {
    underWay -= 1;
    if (!isForgotten || underWay > 0) return;
    signal.removeEventListener('abort', close);
    close();
  };
  const watch = async <Value>(sent: Promise<Value>): Promise<Value> => {
    underWay += 1;
    try {
      return await sent;
    } catch (error) {
      if (!isUnknownSession(error, transport)) throw error;
      forget();
      throw new ForgottenSessionError(connection.server, error);
    } finally {
      leave();
    }
  };
  return {
    ...connection,
    request: (...request) => watch(connection.request(...request)),
    call: (...call) => watch(connection.call(...call)),
    notify: (notification) => watch(connection.notify(notification)),
    follow: (uris) => watch(connection.follow(uris)),
    listPage: (...page) => watch(connection.listPage(...page)),
  };
}

/** Without a session the status means that the address is wrong. */
function isUnknownSession(error: unknown, transport: WatchOptions['transport']): boolean {
  return error instanceof SdkHttpError && error.status === 404 && transport?.sessionId !== undefined;
}

/**
 * The server has lost the session, for example in a restart. The request did not run, so it can be repeated in a new
 * session.
 */
export class ForgottenSessionError extends McpError {
  static readonly reason: string = 'it no longer knows its session (HTTP 404)';

  constructor(server: string, cause: unknown) {
    const { reason } = ForgottenSessionError;
    super('server_down', `Server "${server}" can't be reached: ${reason}`, { cause, context: { server, reason } });
  }
}
