import { InsufficientScopeError, type Transport } from '@modelcontextprotocol/client';
import type {
  RemoteServerSettings as RemoteSettings,
  McpServerOptions as ServerOptions,
  StdioServerSettings as StdioSettings,
} from '@quartermaster/host/config';
import { digest } from '../digest.ts';
import type { OAuthClient, SignInSettings } from '../oauth/index.ts';
import type { TokenOwner } from '../store/index.ts';

export type { RemoteSettings, ServerOptions, StdioSettings };

/** How to reach one MCP server: by its configuration, or in this process. */
export type ServerSettings = StdioSettings | RemoteSettings | InProcessSettings;

/** A server in this process, of either SDK line. */
export interface InProcessSettings extends ServerOptions {
  readonly type: 'in-process';
  /** Creates an instance for one connection: an SDK server holds one at a time. */
  readonly create: () => Connectable | Promise<Connectable>;
}

/** A server object of the MCP SDK. */
export interface Connectable {
  connect(transport: Transport): Promise<void>;
}

/** The default time limits of a server. */
export const SERVER_DEFAULTS: Required<Pick<ServerOptions, 'connectTimeoutMs' | 'listTimeoutMs' | 'callTimeoutMs'>> = {
  connectTimeoutMs: 30_000,
  listTimeoutMs: 30_000,
  callTimeoutMs: 300_000,
};

export function isStdio(settings: ServerSettings): settings is StdioSettings {
  return 'command' in settings;
}

export function isInProcess(settings: ServerSettings): settings is InProcessSettings {
  return settings.type === 'in-process';
}

/**
 * Identifies a server between runs: its name and where it comes from. Values of variables and headers are left out,
 * because they may be secrets. So a new token keeps the listing, and another command does not.
 */
export function settingsKey(name: string, settings: ServerSettings): string {
  return digest([JSON.stringify(['quartermaster server 1', name, identity(settings)])]);
}

function identity(settings: ServerSettings): readonly unknown[] {
  if (isStdio(settings)) {
    return [
      'stdio',
      settings.command,
      settings.args ?? [],
      Object.keys(settings.env ?? {}).sort(),
      settings.cwd ?? null,
    ];
  }
  if (isInProcess(settings)) return ['in-process'];
  return [settings.type ?? null, settings.url, Object.keys(settings.headers ?? {}).sort()];
}

/** How users sign in to a server. Undefined if they don't. */
export function signInSettings(settings: ServerSettings): SignInSettings | undefined {
  if (!('url' in settings)) return undefined;
  const { oauth, url } = settings;
  if (oauth === undefined || oauth === false) return undefined;
  return { serverUrl: url, ...(oauth === true ? {} : oauth) };
}

interface StepUp {
  readonly oauth: OAuthClient | undefined;
  readonly owner: TokenOwner;
  readonly settings: ServerSettings;
}

/** Turns a refusal for missing scopes into an error that says where to sign in again; returns any other error unchanged. */
export async function withStepUp(error: unknown, { oauth, owner, settings }: StepUp): Promise<unknown> {
  const refusal = findRefusal(error);
  const signIn = signInSettings(settings);
  if (refusal === undefined || oauth === undefined || signIn === undefined) return error;
  return oauth.stepUp(owner, signIn, refusal);
}

function findRefusal(error: unknown, depth = 0): InsufficientScopeError | undefined {
  if (error instanceof InsufficientScopeError) return error;
  if (!(error instanceof Error) || depth >= MOST_CAUSES) return undefined;
  return findRefusal(error.cause, depth + 1);
}

const MOST_CAUSES = 5;
