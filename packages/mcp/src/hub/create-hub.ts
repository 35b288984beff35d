import { isDeepStrictEqual } from 'node:util';
import { type RequestOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { compileGlob, type JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { defined, untilAborted } from '@quartermaster/core/internal';
import { McpError } from '../errors.ts';
import { checkDepth } from './check-depth.ts';
import type { Connection } from './connection/index.ts';
import type { Hub, HubCall, HubEvent, HubRequest, HubServers, Peer } from './hub.ts';
import { createHubCatalog } from './hub-catalog.ts';
import { type HubOptions, readHubOptions } from './hub-options.ts';
import { HubServer } from './hub-server.ts';
import { SERVER_DEFAULTS, type ServerSettings, signInSettings } from './server-settings.ts';
import type { ServerStatus } from './server-status.ts';
import type { DefinitionChange } from './trust/index.ts';

const MOST_HELD_NAMED = 5;
/** How often to check whether a user has signed in. */
const SIGN_IN_LOOK_MS = 500;

/**
 * A hub over the given servers. Nothing starts before `start` or the first use.
 *
 * @example
 * const hub = createHub({ servers: { files: { command: 'npx', args: ['-y', 'a-file-server'] } } });
 * await hub.start();
 */
export function createHub(options: HubOptions): Hub {
  const listeners = new Set<(event: HubEvent) => void>();
  const emit = (event: HubEvent): void => {
    if (event.kind === 'server-change') catalog.expire();
    for (const listener of listeners) listener(event);
  };
  const context = readHubOptions(options, emit);
  const { clock } = context;
  let starting: Promise<void> | undefined;
  const begun = new Map<string, Promise<void>>();
  let isClosed = false;
  let unusable = options.unusable ?? [];
  let { policies } = options;
  let sole: Peer | undefined;
  const servers = new Map(
    enabled(options.servers).map(([name, settings]) => [name, new HubServer(name, settings, context)]),
  );
  const catalog = createHubCatalog(() => ({ ...options, servers: [...servers.values()], policies }));

  const serverNamed = (name: string): HubServer => {
    if (isClosed) throw new McpError('closed', 'The hub is closed');
    const server = servers.get(name);
    if (server !== undefined) return server;
    throw new McpError('unknown_server', `There is no server ${JSON.stringify(name)}`, { context: { server: name } });
  };
  const start = (): Promise<void> => {
    if (starting === undefined) {
      for (const server of servers.values()) begun.set(server.name, begin(server));
      starting = Promise.all(begun.values()).then(() => {});
    }
    return starting;
  };
  const begin = async (server: HubServer): Promise<void> => {
    // A failing store costs the head start, not the server.
    const isKnown = await server.catalog.restore().catch(() => false);
    // Closed in the meantime: no one would end what is started now.
    if (!isClosed && (!isKnown || options.isLazy === false)) await server.start();
  };
  /** A server's tools whose names look like another server's. */
  const lookAlikesIn = (server: HubServer): ServerStatus['suspicions'] => {
    const known = catalog.lookAlikes();
    if (known.size === 0) return [];
    return server.catalog.tools.flatMap(({ id }) => {
      const suspicion = known.get(id);
      return suspicion === undefined ? [] : [{ tool: id, ...suspicion }];
    });
  };
  const isWithheld = options.findings === 'withhold';
  const withheldNames = (server: HubServer): readonly Unavailable[] => {
    const { length } = isWithheld ? lookAlikesIn(server) : [];
    const reason = `withheld because their names look like another server's tools: ${length}`;
    return length === 0 ? [] : [{ server: server.name, reason }];
  };
  const statusOf = (server: HubServer): ServerStatus => {
    const status = server.status();
    const found = lookAlikesIn(server);
    const tools = status.tools - (isWithheld ? found.length : 0);
    return { ...status, tools, suspicions: [...status.suspicions, ...found] };
  };

  return {
    start({ peer } = {}) {
      sole ??= peer;
      if (peer !== undefined) for (const { connections } of servers.values()) connections.adopt(peer);
      return start();
    },
    async started(name) {
      serverNamed(name);
      void start();
      await begun.get(name);
    },
    snapshot: catalog.snapshot,
    servers: () => [...servers.values()].map((server) => server.about),
    status: () => [...[...servers.values()].map(statusOf), ...unusable.map(unusableStatus)],
    unavailable() {
      const leftOut = catalog.leftOut();
      const missed = [...servers.values()].flatMap((server) => unavailableOf(server, leftOut.get(server.name) ?? 0));
      return [...missed, ...[...servers.values()].flatMap(withheldNames), ...unusable];
    },
    call: async (call) => callTool(serverNamed(call.tool.server ?? ''), call),
    request: async (request) => sendRequest(serverNamed(request.server), request),
    follow: async ({ server, uri, origin = {} }) => serverNamed(server).connections.follow(origin, uri),
    connect: async (name, origin = {}) => serverNamed(name).connections.acquire(origin),
    notify(peer, notification) {
      for (const connection of openConnections(servers, peer)) connection.notify(notification).catch(() => {});
    },
    connections: (peer) => openConnections(servers, peer),
    async release(peer) {
      await Promise.all([...servers.values()].map(({ connections }) => connections.release(peer)));
    },
    findings(tool) {
      const alike = catalog.lookAlikes().get(tool.id);
      return [
        ...(servers.get(tool.server ?? '')?.catalog.findings(tool) ?? []),
        ...(alike === undefined ? [] : [alike]),
      ];
    },
    async accept(patterns) {
      const globs = patterns.map(compileGlob);
      const isAccepted = ({ tool }: DefinitionChange): boolean => globs.some((glob) => glob.matches(tool));
      await Promise.all([...servers.values()].map((server) => server.catalog.accept(isAccepted)));
    },
    async acceptChange({ tool, hash }) {
      const isAccepted = (change: DefinitionChange): boolean => change.tool === tool && change.hash === hash;
      const accepted = await Promise.all([...servers.values()].map((server) => server.catalog.accept(isAccepted)));
      return accepted.includes(true);
    },
    async beginSignIn(name, user = '', redirectUrl) {
      const signIn = signInSettings(serverNamed(name).settings);
      return signIn === undefined ? undefined : options.oauth?.begin({ user, server: name }, signIn, { redirectUrl });
    },
    async untilSignedIn(name, { user = '', signal }) {
      const owner = { user, server: name };
      const before = await options.oauth?.markOf(owner);
      for (;;) {
        await untilAborted(new Promise<void>((resolve) => void clock.after(SIGN_IN_LOOK_MS, resolve)), signal);
        const now = await options.oauth?.markOf(owner);
        // Tokens that were discarded are no sign-in.
        if (now === undefined || now === before) continue;
        // Another process may have completed it: then the pause after the refusal continues here.
        await serverNamed(name).retry(user);
        return;
      }
    },
    async signIns(user = '') {
      const wanting = [...servers.values()].filter(({ settings }) => signInSettings(settings) !== undefined);
      return Promise.all(
        wanting.map(async ({ name }) => ({
          server: name,
          isSignedIn: (await options.oauth?.isSignedIn({ user, server: name })) ?? false,
        })),
      );
    },
    async finishSignIn(callback) {
      if (options.oauth === undefined) throw new McpError('invalid_server', 'This hub has no OAuth');
      const owner = await options.oauth.finish(callback);
      await serverNamed(owner.server).retry(owner.user);
      return owner;
    },
    retry: async (name, { user = '' } = {}) => serverNamed(name).retry(user),
    setPolicies(next) {
      policies = next;
      for (const server of servers.keys()) emit({ kind: 'server-change', server });
    },
    async reconfigure(next) {
      if (isClosed) return;
      const before = new Map(servers);
      const named = [...unusable, ...(next.unusable ?? [])].map(({ server }) => server);
      unusable = next.unusable ?? [];
      servers.clear();
      for (const [name, settings] of enabled(next.servers)) {
        const known = before.get(name);
        const isSame = known !== undefined && isDeepStrictEqual(known.settings, settings);
        servers.set(name, isSame ? known : new HubServer(name, settings, context));
      }
      const ended = [...before.values()].filter((server) => servers.get(server.name) !== server);
      const added = [...servers.values()].filter((server) => before.get(server.name) !== server);
      catalog.expire();
      for (const server of new Set([...ended.map(({ name }) => name), ...named]))
        emit({ kind: 'server-change', server });
      if (sole !== undefined) for (const { connections } of added) connections.adopt(sole);
      for (const { name } of ended) begun.delete(name);
      if (starting !== undefined) for (const server of added) begun.set(server.name, begin(server));
      await Promise.all([...ended.map((server) => server.close()), ...added.map(({ name }) => begun.get(name))]);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      listeners.clear();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function enabled(servers: HubServers['servers']): readonly (readonly [string, ServerSettings])[] {
  return Object.entries(servers).filter(([, settings]) => settings.disabled !== true);
}

function unusableStatus({ server, reason }: Unavailable): ServerStatus {
  const nothing = { problems: [], held: [], suspicions: [], noise: { count: 0 }, stderr: '' };
  return { name: server, state: 'down', reason, tools: 0, ...nothing };
}

function unavailableOf(server: HubServer, leftOut: number): readonly Unavailable[] {
  const { name, reason } = server;
  const { missing, held } = server.catalog;
  const reasons = [
    ...(reason === undefined ? [] : [reason]),
    ...missing,
    ...HELD_KINDS.flatMap((kind) => describeHeld(kind, held)),
    ...(leftOut === 0 ? [] : [`${leftOut} of its tools ${leftOut === 1 ? 'is' : 'are'} past the catalog's limit`]),
  ];
  return reasons.length === 0 ? [] : [{ server: name, reason: reasons.join('; ') }];
}

const HELD_KINDS = ['changed', 'new'] as const;

function describeHeld(kind: (typeof HELD_KINDS)[number], held: readonly DefinitionChange[]): readonly string[] {
  const own = held.filter(({ isNew }) => (kind === 'new') === (isNew === true));
  const names = own.slice(0, MOST_HELD_NAMED).map((change) => change.after.name);
  const rest = own.length > names.length ? ` and ${own.length - names.length} more` : '';
  return own.length === 0 ? [] : [`${kind} definitions are waiting to be accepted: ${names.join(', ')}${rest}`];
}

async function callTool(server: HubServer, call: HubCall): Promise<JsonObject> {
  const params = { ...call.params, name: call.tool.name, arguments: call.arguments };
  const options = requestOptions(server, call);
  try {
    if (server.isQuarantined) await server.check(call);
    const sent = server.connections.send(call, (connection) => connection.call(params, call.tool, options));
    return checkDepth(await sent, server.name);
  } catch (error) {
    throw isLost(error) ? lostCall(server, call, error) : error;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** The call may have run, so it is not repeated. */
function lostCall({ name, settings }: HubServer, { tool }: HubCall, cause: unknown): McpError {
  const next = 'url' in settings ? 'the next call connects again' : 'the next call restarts the server';
  return new McpError(
    'connection_lost',
    `The connection to server "${name}" was lost while "${tool.name}" ran, so it may have run. Check before you call it again; ${next}.`,
    { cause, context: { server: name, tool: tool.id } },
  );
}

async function sendRequest(server: HubServer, request: HubRequest): Promise<JsonObject> {
  const { listTimeoutMs = SERVER_DEFAULTS.listTimeoutMs } = server.settings;
  const isList = request.method.endsWith('/list');
  const options = { ...requestOptions(server, request), ...(isList ? { timeout: listTimeoutMs } : {}) };
  const sent = server.connections.send(request, (connection) => connection.request(request, options));
  return checkDepth(await sent, server.name);
}

function requestOptions(
  server: HubServer,
  from: Pick<HubCall, 'signal' | 'onProgress' | 'allowInputRequired'>,
): RequestOptions {
  const { signal, onProgress, allowInputRequired } = from;
  return {
    timeout: server.settings.callTimeoutMs ?? SERVER_DEFAULTS.callTimeoutMs,
    ...defined({ signal }),
    ...(onProgress === undefined ? {} : { onprogress: onProgress, resetTimeoutOnProgress: true }),
    ...defined({ allowInputRequired }),
  };
}

function openConnections(servers: ReadonlyMap<string, HubServer>, peer: Peer): readonly Connection[] {
  return [...servers.values()].flatMap(({ connections }) => connections.openFor(peer) ?? []);
}
