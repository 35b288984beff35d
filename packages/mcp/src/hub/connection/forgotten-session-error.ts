import { McpError } from '../../errors.ts';

/**
 * The server no longer knows the session, such as after it was started again. What was asked did not run, so it may be asked
 * again on a new one.
 */
export class ForgottenSessionError extends McpError {
  static readonly reason: string = 'it no longer knows its session (HTTP 404)';

  constructor(server: string, cause: unknown) {
    const { reason } = ForgottenSessionError;
    super('server_down', `Server "${server}" can't be reached: ${reason}`, { cause, context: { server, reason } });
  }
}
