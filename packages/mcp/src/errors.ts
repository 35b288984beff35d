/** Every code that an error of this package can carry, in one place. */
export type McpErrorCode =
  /** The server is not in the configuration, or the caller may not use it. */
  | 'unknown_server'
  /** The server can't be reached now; the message says why. */
  | 'server_down'
  /** The connection ended during a call, which may have run or not. */
  | 'connection_lost'
  /** The server requires the user to sign in first; `context.authorizationUrl` says where. */
  | 'authorization_required'
  /** The server refuses what the user's sign-in has no right to, and another sign-in would not change that. */
  | 'not_allowed'
  /** The server's answer is invalid: the protocol does not have it, or it can't be passed on. */
  | 'invalid_answer'
  /** The server's settings can't be used. */
  | 'invalid_server'
  /** The tool's definition waits to be accepted. */
  | 'definition_held'
  /** The hub has been closed. */
  | 'closed';

/** Something between us and an MCP server went wrong. What a server itself answers with an error keeps the SDK's class. */
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

/** An untrusted error in one bounded line. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'no reason given';
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

const MOST_CHARACTERS = 300;
