import { type AuthProvider, InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import type { Clock } from '@quartermaster/core/internal';
import { McpError } from '../../errors.ts';
import { isInProcess, isStdio, type RemoteSettings, SERVER_DEFAULTS, type ServerSettings } from '../server-settings.ts';
import { RemoteTransport } from './remote-transport.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  /** The environment of this process, of which a child gets very little. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly authProvider?: AuthProvider | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** @default 200_000 */
  readonly maxMessageValues?: number | undefined;
  readonly onNoise: (text: string) => void;
  readonly onStderr: (text: string) => void;
}

/** A transport for a server's settings, not yet started. `useSse` overrides the type, for servers that only speak the older protocol. */
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
      maxValues: options.maxMessageValues,
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

/** Tells the server that it can drop the session, if there is one. May be called while the transport closes; never fails. */
export async function endSession(transport: Transport | undefined): Promise<void> {
  // The answer doesn't matter: the server may have no sessions, or may have dropped this one itself.
  if (transport instanceof RemoteTransport) await transport.terminateSession().catch(() => {});
}

function openRemote(settings: RemoteSettings, options: TransportOptions, isSse: boolean): Transport {
  const { authProvider, clock, fetch = globalThis.fetch } = options;
  return new RemoteTransport({
    url: readUrl(settings.url, options.name),
    isSse,
    headers: settings.headers ?? {},
    authProvider,
    fetch,
    clock,
    maxValues: options.maxMessageValues,
    signInTimeoutMs: settings.connectTimeoutMs ?? SERVER_DEFAULTS.connectTimeoutMs,
  });
}

function readUrl(url: string, name: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new McpError('invalid_server', `The url of server "${name}" is not an http or https address`, {
    context: { server: name },
  });
}

/**
 * The environment of a server's process: its own variables, and from ours only those that programs need to run at all.
 * Anything else may be a secret that is none of its business.
 */
function childEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of HARMLESS) {
    const value = inherited[name];
    // Old shells export functions as values that start like this; a child shell would run them.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  return { ...environment, ...own };
}

const HARMLESS: readonly string[] = [
  ...['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  // Windows
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];
