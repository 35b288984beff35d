import { resolve } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import type { Config } from '@quartermaster/host/config';
import type { Store, TokenOwner } from '@quartermaster/host/store';
import { createHub, createMemoryTokenStore, createOAuthClient, type Hub, type HubServers } from '@quartermaster/mcp';
import type { CommandIo } from '../../command-io.ts';
import { oneLine, shellWord } from '../../terminal/index.ts';
import { leaveOutOurselves } from '../settings/leave-out-ourselves.ts';

export interface ConfiguredHubOptions {
  /** As returned by `configuredServers`. */
  readonly servers: HubServers;
  /** Stores listings, pins and tokens. Without it every server is started to list its tools. */
  readonly store: Pick<Store, 'listings' | 'pins' | 'tokens'> | undefined;
  /** The `--mcp-config` files: the suggested `mcp login` command names the one with the server. Left out if untrusted clients would read their paths. */
  readonly mcpConfig?: readonly string[] | undefined;
  readonly env: CommandIo['env'];
  /** Whether changed definitions are held back until they are accepted. @default false */
  readonly isStrict?: boolean;
  /** Whether servers with a stored listing wait for their first use. @default true */
  readonly isLazy?: boolean;
  /** The gateway's page where users sign in. @default the error names the command to run */
  readonly signInPage?: string | undefined;
  /** The redirect address, requested when a sign-in is about to begin here. @default none begins */
  readonly redirectUrl?: () => Promise<string>;
}

/** The servers in the settings, without those that would start this program again. Undefined if there are none. */
export function configuredServers(
  { mcpServers, unusableServers, notes }: Config,
  print: (line: string) => void,
): HubServers | undefined {
  const { servers, ourselves } = leaveOutOurselves(mcpServers);
  if (ourselves.length > 0) print(`skipped, because it is this proxy itself: ${ourselves.join(', ')}`);
  for (const { name, source, line, reason } of unusableServers) {
    print(
      `${oneLine(name, 100)}: not usable (${source}${line === undefined ? '' : `:${line}`}): ${oneLine(reason, 500)}`,
    );
  }
  for (const { server, message } of notes) print(`${oneLine(server, 100)}: ${oneLine(message, 500)}`);
  if (Object.keys(servers).length === 0 && unusableServers.length === 0) return undefined;
  return { servers, unusable: unusableServers.map(({ name, reason }) => ({ server: name, reason })) };
}

export function createConfiguredHub(
  { tools, mcp, serverFiles }: Config,
  {
    servers,
    store,
    mcpConfig = [],
    env,
    isStrict = false,
    isLazy = true,
    redirectUrl,
    signInPage,
  }: ConfiguredHubOptions,
): Hub {
  const named = new Map(mcpConfig.map((file) => [resolve(file), file]));
  const signInCommand = ({ user, server }: TokenOwner): string => {
    const file = named.get(serverFiles.get(server) ?? '');
    const words = [
      server,
      ...(file === undefined ? [] : ['--mcp-config', file]),
      ...(user === '' ? [] : ['--user', user]),
    ];
    return ['quartermaster mcp login', ...words.map(shellWord)].join(' ');
  };
  return createHub({
    ...servers,
    environment: env,
    isLazy,
    // Only the settings can hold back new ones.
    quarantine: isStrict && mcp.quarantine === 'off' ? 'changed' : mcp.quarantine,
    policies: tools.policies,
    limits: mcp.limits,
    maxMessageValues: mcp.messageValues,
    findings: mcp.findings,
    oauth: createOAuthClient({
      tokens: store?.tokens ?? createMemoryTokenStore(),
      ...defined({ redirectUrl }),
      howToSignIn: (owner) => (signInPage !== undefined ? `open ${signInPage}` : `run: ${signInCommand(owner)}`),
    }),
    ...(store === undefined ? {} : { listings: store.listings, pins: store.pins }),
  });
}

/**
 * For one user: any remote server may ask for a sign-in, because clients' files don't say which ones do. A server whose entry has
 * its own key is asked with that.
 */
export function offerSignIn({ servers, ...rest }: HubServers): HubServers {
  const offered = Object.entries(servers).map(([name, settings]) => {
    if (!('url' in settings) || settings.oauth !== undefined) return [name, settings] as const;
    const hasKey = Object.keys(settings.headers ?? {}).some((header) => header.toLowerCase() === 'authorization');
    return [name, { ...settings, oauth: !hasKey }] as const;
  });
  return { ...rest, servers: Object.fromEntries(offered) };
}
