import {
  InMemoryTransport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../clock.ts';
import { McpError } from '../errors.ts';
import type { SignInProvider } from '../oauth/index.ts';
import { childEnvironment } from './child-environment.ts';
import { isInProcess, isStdio, type RemoteSettings, type ServerSettings } from './server-settings.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  /** Our own environment, of which a child gets next to nothing. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly authProvider?: SignInProvider | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly onNoise: (text: string) => void;
  readonly onStderr: (text: string) => void;
}

/** A transport for a server's settings, not yet started. `useSse` overrides the type, for servers that only know the old way. */
export async function openTransport(options: TransportOptions, useSse = false): Promise<Transport> {
  const { settings } = options;
  if (isStdio(settings)) {
    const { command, args = [], env, cwd } = settings;
    const { onNoise, onStderr } = options;
    return new StdioTransport({
      command,
      args,
      env: childEnvironment(options.environment, env),
      cwd,
      onNoise,
      onStderr,
    });
  }
  if (isInProcess(settings)) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = await settings.create();
    await server.connect(theirs);
    return ours;
  }
  return openRemote(settings, options, useSse || settings.type === 'sse');
}

/** How long a server may take to be told that a session has ended. */
const PARTING_MS = 2_000;

/** Tells the server, where there is a session, that it need not keep it any longer. It may be asked as the transport closes, and never fails. */
export async function endSession(transport: Transport | undefined): Promise<void> {
  // What a server says to that is of no consequence: it may not have such a thing, or have forgotten the session itself.
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
}

function openRemote(settings: RemoteSettings, options: TransportOptions, isSse: boolean): Transport {
  const url = readUrl(settings.url, options.name);
  const { authProvider, clock, fetch = globalThis.fetch } = options;
  const common = {
    requestInit: { headers: { ...settings.headers } },
    ...(authProvider === undefined ? {} : { authProvider }),
    // The parting is the one request that outlives its transport, whose signal ends all others.
    fetch: (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      fetch(input, init?.method === 'DELETE' ? { ...init, signal: signalIn(PARTING_MS, clock) } : init),
  };
  return isSse ? new SSEClientTransport(url, common) : new StreamableHTTPClientTransport(url, common);
}

/** The limit holds for the whole answer, and need not be called off: after it there is nothing left to end. */
function signalIn(delayMs: number, clock: Clock): AbortSignal {
  const late = new AbortController();
  clock.after(delayMs, () => late.abort());
  return late.signal;
}

function readUrl(url: string, name: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new McpError('invalid_server', `The url of server "${name}" is not an http or https address`, {
    context: { server: name },
  });
}
