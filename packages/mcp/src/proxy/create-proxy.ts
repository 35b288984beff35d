import type { ClientCapabilities, Implementation, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolbox, type ToolboxOptions } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { capabilitiesOf, chooseForm, type GuardLimits, LISTING_DEFAULTS } from '@quartermaster/core/disclosure';
import type { ArgumentChecker, Resolved } from '@quartermaster/core/dispatch';
import { contextWindow, DEFAULT_GATE_SETTINGS, type GateSettings, type ModelLimits } from '@quartermaster/core/gate';
import {
  BACKGROUND_CLOCK,
  type Clock,
  checkOptionNames,
  defined,
  type OptionNames,
  readChoice,
} from '@quartermaster/core/internal';
import { CLIENT_INFO, type Hub } from '../hub/index.ts';
import { MESSAGE_VALUES } from '../json-meter.ts';
import { createMemoryTaskOwnerStore, type TaskOwnerStore } from '../store/index.ts';
import { createCatalogReader } from './catalog-reader.ts';
import { Endpoint } from './endpoint.ts';
import { createExecutor, originOf } from './execute-tool.ts';
import { unfollowAll } from './follow-resources.ts';
import type { AlwaysLoad } from './known-clients.ts';
import type { Access, ConnectOptions, McpProxy, ProxyConnection } from './mcp-proxy.ts';
import { type Audience, passOnChanges } from './pass-on-changes.ts';
import { compilePermissions } from './permissions.ts';
import type { ProxyContext } from './proxy-context.ts';
import { proxyInstructions } from './proxy-instructions.ts';
import { createHttpFace, type SessionLimits } from './serve-http.ts';
import { createListenFace } from './serve-listening.ts';
import { createServerStart, START_WAITS, type StartWaits } from './server-start.ts';
import { Session } from './session.ts';

/** Options of `createProxy`. */
export interface ProxyOptions
  extends Pick<
    ToolboxOptions,
    | 'searcher'
    | 'uses'
    | 'hooks'
    | 'onEvent'
    | 'recordQueries'
    | 'listingTokens'
    | 'stubDescriptionLength'
    | 'budget'
    | 'countTokens'
    | 'maxQueryLength'
  > {
  readonly hub: Hub;
  /**
   * How tools reach the client once the gate defers them. `bridge` works with every client and needs no state; `load` adds found
   * tools to the list, which needs a lasting connection and gives up the prompt cache; `inline` defers nothing. @default 'bridge'
   */
  readonly form?: 'bridge' | 'load' | 'inline';
  /** When tools are deferred; below that all of them are listed. @default from 10% of the context window */
  readonly settings?: GateSettings;
  /** The model's context window. @default the gate's default */
  readonly limits?: ModelLimits;
  readonly checkArguments?: ArgumentChecker;
  /**
   * What happens on repeated and fruitless searches on a lasting connection. One connection carries many conversations and never sees
   * a user's message, so searches are forgotten after a while, and a new search is never refused.
   * @default { mode: 'hint' }
   */
  readonly guard?: ProxyGuard;
  /** Identifies the sender of an HTTP request; undefined is answered with 401. Not called if `fetch` gets the access. @default anyone */
  readonly authenticate?: (request: Request) => Promise<Access | undefined>;
  /**
   * Whether HTTP clients of the older revisions may have sessions, which live in this process. Without them each
   * request is independent, and any replica can answer it. @default false
   */
  readonly sessions?: boolean | SessionLimits;
  /** How long requests wait for servers at their first start; clients are notified of later ones. */
  readonly waits?: StartWaits;
  /**
   * Whether our own tools are marked so that the client's own tool search does not hide them (`_meta["anthropic/alwaysLoad"]`). `auto`
   * marks them for Claude clients and for those that don't identify themselves. @default 'auto'
   */
  readonly alwaysLoad?: AlwaysLoad;
  /** A longer tool result is cut off, and says so. @default 8 MiB */
  readonly maxResultBytes?: number;
  /** The largest body of an HTTP request. @default 4 MiB */
  readonly maxRequestBytes?: number;
  /** How many JSON values an HTTP request may have. @default 200_000 */
  readonly maxMessageValues?: number;
  /** Additional `_meta` for a call to a server, such as its trace; `sent` is what the client sent. @default what the client sent */
  readonly callMeta?: (call: Resolved, sent: JsonObject | undefined) => JsonObject | undefined;
  /** Which client created which task, by the id of its access. @default held in this process */
  readonly taskOwners?: TaskOwnerStore;
  readonly serverInfo?: Implementation;
  readonly clock?: Clock;
}

const OPTIONS: OptionNames<ProxyOptions> = {
  hub: true,
  form: true,
  settings: true,
  limits: true,
  checkArguments: true,
  guard: true,
  authenticate: true,
  sessions: true,
  waits: true,
  alwaysLoad: true,
  maxResultBytes: true,
  maxRequestBytes: true,
  maxMessageValues: true,
  callMeta: true,
  taskOwners: true,
  serverInfo: true,
  clock: true,
  searcher: true,
  uses: true,
  hooks: true,
  onEvent: true,
  recordQueries: true,
  listingTokens: true,
  stubDescriptionLength: true,
  budget: true,
  countTokens: true,
  maxQueryLength: true,
};

/** `stop` is not a mode here: it would refuse searches that were never made. */
export interface ProxyGuard extends Omit<GuardLimits, 'mode'> {
  readonly mode?: 'stop-repeats' | 'hint' | 'off';
  /** How long a search counts. @default 600_000 */
  readonly forgetAfterMs?: number;
}

const GUARD: { readonly mode: 'hint'; readonly forgetAfterMs: number } = { mode: 'hint', forgetAfterMs: 600_000 };

/** The defaults of the proxy. */
export const PROXY_DEFAULTS: Required<
  Pick<ProxyOptions, 'form' | 'alwaysLoad' | 'maxResultBytes' | 'maxRequestBytes' | 'maxMessageValues'>
> & { readonly waits: Required<StartWaits> } = {
  form: 'bridge',
  waits: START_WAITS,
  alwaysLoad: 'auto',
  maxResultBytes: 8 * 1024 * 1024,
  maxRequestBytes: 4 * 1024 * 1024,
  maxMessageValues: MESSAGE_VALUES,
};

/** One MCP server for everything behind a hub, with tool search between them. */
export function createProxy(options: ProxyOptions): McpProxy {
  checkOptionNames('createProxy', options, OPTIONS);
  checkOptionNames('waits', options.waits ?? {}, START_WAITS);
  const context = createContext(options);
  const { hub, clock } = context;
  const open = new Map<Audience, Session>();
  const form = readChoice('form', options.form ?? PROXY_DEFAULTS.form, ['bridge', 'load', 'inline']);
  const preference = form === 'load' ? 'load' : 'bridge';

  const createSession = ({ access, era, isLasting, isSole = false }: Opening): Session =>
    new Session(context, {
      access,
      isSole,
      permissions: compilePermissions(access.permissions ?? {}),
      form: chooseForm(capabilitiesOf(isLasting ? 'mcp-stateful' : 'mcp-stateless'), preference).form,
      isLasting,
      // A stateless client of the newer revision can listen in a separate request.
      hearsChanges: isLasting || era === 'modern',
    });

  const createEndpoint = async (opening: Opening): Promise<Endpoint> => {
    const session = createSession(opening);
    // Without a handshake that could wait, what is said about the servers is settled here.
    if (opening.era === 'modern' || !opening.isLasting) await context.start.wait(context.waits.greetingMs);
    await context.readCatalog();
    const endpoint = new Endpoint({
      session,
      instructions: proxyInstructions(session),
      prepare: (capabilities) => prepare(endpoint, session, { capabilities, opening }),
    });
    if (opening.isLasting) {
      open.set(endpoint, session);
      endpoint.onclose = () => {
        open.delete(endpoint);
        unfollowAll(session);
        session.suspended.close();
        if (session.peer !== undefined) void hub.release(session.peer);
      };
    }
    return endpoint;
  };

  const prepare = async (
    endpoint: Endpoint,
    session: Session,
    { capabilities, opening }: { readonly capabilities: ClientCapabilities; readonly opening: Opening },
  ): Promise<void> => {
    if (!opening.isLasting) return;
    endpoint.becomePeer(capabilities);
    context.start.begin(session.isSole ? session.peer : undefined);
    await context.start.wait(context.waits.greetingMs);
    await context.readCatalog();
  };

  const unsubscribe = passOnChanges(context, open);
  const listening = createListenFace({
    open,
    createEndpoint: (session) => new Endpoint({ session, prepare: async () => {} }),
  });
  const http = createHttpFace({
    createEndpoint: (access, era, isLasting) => createEndpoint({ access, era, isLasting }),
    listen: (posted, access) => listening.fetch(posted, createSession({ access, era: 'modern', isLasting: false })),
    authenticate: options.authenticate,
    sessions: options.sessions ?? false,
    messages: {
      maxBytes: options.maxRequestBytes ?? PROXY_DEFAULTS.maxRequestBytes,
      maxValues: options.maxMessageValues ?? PROXY_DEFAULTS.maxMessageValues,
    },
    clock,
  });
  const connections = new Set<ProxyConnection>();
  return {
    async connect(transport, connectOptions = {}) {
      const connection = connectTransport(transport, connectOptions, createEndpoint);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
      return connection;
    },
    fetch: (request, access) => http.fetch(request, access),
    async close() {
      unsubscribe();
      await Promise.all([...connections].map((connection) => connection.close()));
      await listening.close();
      await http.close();
    },
  };
}

interface Opening extends ConnectOptions {
  readonly access: Access;
  readonly era: 'legacy' | 'modern';
  readonly isLasting: boolean;
}

function createContext(options: ProxyOptions): ProxyContext {
  const { hub, form, settings = DEFAULT_GATE_SETTINGS, listingTokens = LISTING_DEFAULTS.budgetTokens } = options;
  const { searcher, uses, hooks, onEvent, recordQueries, stubDescriptionLength, maxQueryLength } = options;
  const { budget, countTokens, checkArguments } = options;
  const { forgetAfterMs, ...guard } = { ...GUARD, ...options.guard };
  const clock = options.clock ?? BACKGROUND_CLOCK;
  const taskOwners = options.taskOwners ?? createMemoryTaskOwnerStore();
  const toolbox = createToolbox({
    tools: () => hub.snapshot(),
    execute: createExecutor(hub, options.callMeta),
    settings: form === 'inline' ? { ...settings, rule: { kind: 'off' } } : settings,
    // A server that is down concerns only those who may use it.
    unavailable: (caller) =>
      hub.unavailable().filter(({ server }) => originOf(caller)?.session.permissions.allowsServer(server) === true),
    findings: (tool) => hub.findings(tool).map(({ kind }) => kind),
    // An MCP client follows changes of the list, and its model has no other source for the existing tools.
    listingTokens,
    guard,
    ...defined({ searcher, uses, hooks, onEvent, recordQueries, stubDescriptionLength, maxQueryLength }),
    ...defined({ budget, countTokens, checkArguments }),
  });
  return {
    hub,
    toolbox,
    limits: options.limits ?? contextWindow(),
    serverInfo: options.serverInfo ?? CLIENT_INFO,
    clock,
    forgetSearchesAfterMs: forgetAfterMs,
    taskOwners,
    start: createServerStart(hub, clock),
    waits: { ...START_WAITS, ...options.waits },
    readCatalog: createCatalogReader(() => hub.snapshot(), defined({ countTokens })),
    alwaysLoad: options.alwaysLoad ?? PROXY_DEFAULTS.alwaysLoad,
    maxResultBytes: options.maxResultBytes ?? PROXY_DEFAULTS.maxResultBytes,
  };
}

/** The handshake decides the revision; the endpoint is created for it. */
function connectTransport(
  transport: Transport,
  options: ConnectOptions,
  createEndpoint: (opening: Opening) => Promise<Endpoint>,
): ProxyConnection {
  let endpoint: Endpoint | undefined;
  const handle = serveStdio(
    async ({ era }) => {
      endpoint = await createEndpoint({ ...options, access: options.access ?? {}, era, isLasting: true });
      return endpoint;
    },
    { transport },
  );
  // The SDK answers these itself, without a handler.
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const held = endpoint?.followWanted(message);
    if (held === undefined) deliver?.(message, extra);
    else void held.then((followed) => deliver?.(followed as typeof message, extra));
  };
  const ended = transport.onclose;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      ended?.();
      resolve();
    };
  });
  return { close: () => handle.close(), closed };
}
