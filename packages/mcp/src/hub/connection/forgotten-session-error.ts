import { McpError } from '../../errors.ts';

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
