import {
  Client,
  type ClientCapabilities,
  type Implementation,
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
  UnauthorizedError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type Clock, deepestReason, defined } from '@quartermaster/core/internal';
import { describeError, McpError } from '../../errors.ts';
import { signInError } from '../../oauth/index.ts';
import type { Peer } from '../hub.ts';
import { isInProcess, isStdio, SERVER_DEFAULTS, type ServerSettings } from '../server-settings.ts';
import { endSession, openTransport, type TransportOptions } from '../transport/index.ts';
import { type CallClock, createCallClock } from './call-clock.ts';
import { ANY_PARAMS, type Connection, wrapClient } from './connection.ts';
import type { ConnectionEnd } from './connection-slot.ts';
import { keepListening } from './keep-listening.ts';
import { watchSession } from './watch-session.ts';

export interface ConnectionOptions extends TransportOptions, ConnectionEnd {
  readonly clientInfo: Implementation;
  /** What users can do to sign in, if a sign-in can't begin here. */
  readonly howToSignIn?: string | undefined;
  /** The client it is for. Without one, the server is offered no capabilities for requests of its own. */
  readonly peer?: Peer | undefined;
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** Whether the server has proved not to support the newer revision, whatever it says. */
  readonly isNewerBroken?: boolean;
  /** It has just proved that. Another connection replaces this one. */
  readonly onNewerBroken?: () => void;
}

/** The revision without a handshake. */
const MODERN_REVISION = '2026-07-28';
/** What people see if an old server sits behind a new address. */
const OLD_SERVER_STATUSES: readonly number[] = [400, 404, 405];

/** Connects to a server of any revision. Throws an `McpError` with the reason if it can't. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { settings, isNewerBroken = false } = options;
  const { protocolVersion } = settings;
  const isLocal = isStdio(settings) || isInProcess(settings);
  // Over a pipe, an unknown request makes some servers hang or exit, so the handshake that all of them know comes first.
  const usual: VersionNegotiationMode = isLocal || isNewerBroken ? 'legacy' : 'auto';
  const held = protocolVersion === MODERN_REVISION ? { pin: MODERN_REVISION } : ('legacy' as const);
  const mode = protocolVersion === undefined ? usual : held;
  try {
    return await attempt(options, { mode, useSse: settings.type === 'sse' });
  } catch (error) {
    const other =
      isNewerBroken && protocolVersion === undefined
        ? { mode: { pin: MODERN_REVISION }, useSse: false }
        : secondTry(error, settings);
    if (other === undefined) throw explain(error, options);
    try {
      return await attempt(options, other);
    } catch (secondError) {
      throw explain(secondError, options);
    }
  }
}

interface Attempt {
  readonly mode: VersionNegotiationMode;
  readonly useSse: boolean;
}

function secondTry(error: unknown, settings: ServerSettings): Attempt | undefined {
  const isHeld = settings.protocolVersion !== undefined;
  if (!isHeld && error instanceof ProtocolError && error.code === ProtocolErrorCode.UnsupportedProtocolVersion) {
    return { mode: { pin: MODERN_REVISION }, useSse: false };
  }
  const isUntyped = 'url' in settings && settings.type === undefined;
  if (isUntyped && error instanceof SdkHttpError && OLD_SERVER_STATUSES.includes(error.status ?? 0)) {
    return { mode: 'legacy', useSse: true };
  }
  return undefined;
}

async function attempt(options: ConnectionOptions, { mode, useSse }: Attempt): Promise<Connection> {
  const { name, clientInfo, settings, clock, peer, onNotification, onNoise, onLost, onForgotten, signal } = options;
  const timeout = settings.connectTimeoutMs ?? SERVER_DEFAULTS.connectTimeoutMs;
  const { protocolVersion } = settings;
  const client = new Client(clientInfo, {
    capabilities: declared(peer?.capabilities),
    versionNegotiation: { mode, probe: { timeoutMs: timeout } },
    ...(protocolVersion === undefined ? {} : { supportedProtocolVersions: [protocolVersion] }),
  });
  // Before connecting: a server may send messages as soon as it has been initialized.
  client.fallbackNotificationHandler = async ({ method, params }) => {
    onNotification(method, isJsonObject(params) ? params : {});
  };
  client.onerror = (error) => onNoise(describeError(error));
  const calls = createCallClock(clock);
  if (peer !== undefined) answerFor(client, name, { peer, calls });
  await connectInTime(client, openTransport(options, useSse), { clock, timeoutMs: timeout, signal });
  let retire = (): void => {};
  let wasBroken = options.isNewerBroken === true || protocolVersion !== undefined;
  const onBroken = (): void => {
    if (wasBroken) return;
    wasBroken = true;
    onNoise('its lists lack resultType, which revision 2026-07-28 requires, so an older revision is used');
    options.onNewerBroken?.();
    retire();
  };
  const listening =
    client.getProtocolEra() === 'modern'
      ? keepListening(client, { clock, onNoise, onMissed: onNotification })
      : undefined;
  const connection = calls.watch(wrapClient(name, client, { onBroken, follow: listening?.follow }));
  let isClosing = false;
  client.onclose = () => {
    listening?.close();
    if (!isClosing) onLost();
  };
  const closable = {
    ...connection,
    async close(): Promise<void> {
      isClosing = true;
      client.onerror = () => {};
      listening?.close();
      // Both at once: running calls end now, not after the server has been notified.
      await Promise.all([endSession(client.transport), client.close()]);
    },
  };
  return watchSession(closable, {
    transport: client.transport,
    onForgotten,
    signal,
    onRetirable: (end) => {
      retire = end;
    },
  });
}

/** Only what a proxy can forward. */
function declared({ elicitation, sampling, roots }: ClientCapabilities = {}): ClientCapabilities {
  return { ...defined({ elicitation, sampling, roots }) };
}

function answerFor(
  client: Client,
  server: string,
  { peer, calls }: { readonly peer: Peer; readonly calls: CallClock },
): void {
  for (const [capability, method] of QUESTIONS) {
    if (peer.capabilities[capability] === undefined) continue;
    client.setRequestHandler(method, { params: ANY_PARAMS }, (params, context) =>
      calls.whileAsking(() => peer.request({ server, method, params }, { signal: context.mcpReq.signal })),
    );
  }
}

/** What servers ask clients, by the capability that it takes. */
const QUESTIONS = [
  ['elicitation', 'elicitation/create'],
  ['sampling', 'sampling/createMessage'],
  ['roots', 'roots/list'],
] as const;

/**
 * The handshake's own timeout does not cover an in-process server that is never created, a process that never starts, or a
 * stream that never opens. If it opens later, it is closed.
 */
async function connectInTime(
  client: Client,
  opening: Promise<Transport>,
  { clock, timeoutMs, signal }: { readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  let cancel: () => void = () => {};
  const late = new Promise<never>((_, reject) => {
    const onLate = (): void => reject(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out'));
    const onAbort = (): void => reject(new SdkError(SdkErrorCode.ConnectionClosed, 'The hub was closed'));
    const cancelTimer = clock.after(timeoutMs, onLate);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    cancel = () => {
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    };
  });
  let transport: Transport | undefined;
  try {
    transport = await Promise.race([opening, late]);
    const connecting = client.connect(transport, { timeout: timeoutMs });
    connecting.catch(() => {});
    await Promise.race([connecting, late]);
  } catch (error) {
    // Not waited for while nothing is open: it may never open.
    const closing = opening.then((opened) => opened.close()).catch(() => {});
    if (transport !== undefined) await closing;
    throw error;
  } finally {
    cancel();
  }
}

function explain(error: unknown, options: ConnectionOptions): McpError {
  if (error instanceof McpError) return error;
  const { name, settings, howToSignIn } = options;
  if (error instanceof InsufficientScopeError) {
    return signInError({ server: name, how: howToSignIn, scope: error.requiredScope, cause: error });
  }
  if (error instanceof UnauthorizedError || asksForSignIn(error, settings)) {
    return signInError({ server: name, how: howToSignIn, cause: error });
  }
  return new McpError('server_down', reasonOf(error, settings), { cause: error, context: { server: name } });
}

/** The SDK has no error class for this without a provider: the server rejects the key that it was given. */
function asksForSignIn(error: unknown, settings: ServerSettings): boolean {
  if (!(error instanceof SdkHttpError) || error.status !== 401 || !('url' in settings)) return false;
  return !Object.keys(settings.headers ?? {}).some((name) => name.toLowerCase() === 'authorization');
}

/** For people and models: what the server did, not which exception was thrown here. */
function reasonOf(error: unknown, settings: ServerSettings): string {
  const seconds = (settings.connectTimeoutMs ?? SERVER_DEFAULTS.connectTimeoutMs) / 1000;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return `it did not answer within ${seconds} s`;
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return 'it ended before it answered';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' && isStdio(settings)) return `its command ${JSON.stringify(settings.command)} was not found`;
  return describeError(isFailedFetch(error) ? deepestReason(error) : error);
}

/** `fetch` only says that it failed, and the SDK wraps that in its own message. */
function isFailedFetch(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MOST_CAUSES) return false;
  return error.message === 'fetch failed' || isFailedFetch(error.cause, depth + 1);
}

const MOST_CAUSES = 5;
