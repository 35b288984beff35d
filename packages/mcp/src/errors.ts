/** Every error code of this package. */
export type McpErrorCode =
  /** The server is not in the configuration, or the caller may not use it. */
  | 'unknown_server'
  /** The server can't be reached now; the message says why. */
  | 'server_down'
  /** The connection ended during a call, which may or may not have run. */
  | 'connection_lost'
  /** The server requires the user to sign in first; `context.authorizationUrl` says where. */
  | 'authorization_required'
  /** The user's sign-in has no permission for this, and signing in again would not change that. */
  | 'not_allowed'
  /** The server's answer is invalid: the protocol does not allow it, or it can't be forwarded. */
  | 'invalid_answer'
  /** The server's settings can't be used. */
  | 'invalid_server'
  /** The tool's definition has not been accepted yet. */
  | 'definition_held'
  /** The hub has been closed. */
  | 'closed';

/** A failure between us and an MCP server. An error that the server itself returns keeps the SDK's class. */
export class McpError extends Error {
  override readonly name: string = 'McpError';
  readonly code: McpErrorCode;
  readonly context: Readonly<Record<string, unknown>>;

  constructor(
    code: McpErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly context?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.context = options.context ?? {};
  }
}

/** An untrusted error as one line of limited length. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'no reason given';
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

const MOST_CHARACTERS = 300;
