import { contextWindow, type GateSettings } from '@quartermaster/core/gate';
import { BACKGROUND_CLOCK, deepestReason, defined } from '@quartermaster/core/internal';
import type { Config } from '@quartermaster/host/config';
import { createArgumentChecker } from '@quartermaster/host/schema';
import {
  type ChosenEngine,
  createIndexCache,
  createSearcherFor,
  createServedReranker,
  createUseLearning,
  type RerankerFailure,
  type UseLearning,
} from '@quartermaster/host/search';
import type { Store } from '@quartermaster/host/store';
import { createProxy, type Hub, serveStdio } from '@quartermaster/mcp';
import { embeddedModel } from '@quartermaster/semantic';
import type { CommandContext, ProxyForm, ServerFlags } from '../../commands/index.ts';
import { InputError, UnavailableError } from '../../input-error.ts';
import { oneLine } from '../../terminal/index.ts';
import { createSignInListener } from '../credentials/callback-listener.ts';
import { printOnce } from '../process/print-once.ts';
import { waitForStop } from '../process/watch-stop-signals.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from '../servers/create-configured-hub.ts';
import { reportServers } from '../servers/report-servers.ts';
import { recordStatus } from '../servers/running-status.ts';
import { configuredEngine } from '../settings/configured-engine.ts';
import { followSettings } from '../settings/follow-settings.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import { openConfiguredStore, tryToMakeTokenKey } from '../store/open-configured-store.ts';

interface McpFlags extends ServerFlags {
  /** Used whatever the tools cost. @default bridge, once the gate defers */
  readonly form?: ProxyForm;
  /** The context window of the client's model, in tokens. @default `mcp.contextTokens` of the settings, else `DEFAULT_CONTEXT_TOKENS` */
  readonly context?: number;
  /** Whether a tool whose definition changed is held back until it is accepted. */
  readonly strict?: true;
}

/** Serves one MCP client over stdin and stdout until it disconnects or a signal stops it. Messages for people go to stderr. */
export async function serveMcp(flags: McpFlags, { io }: CommandContext): Promise<void> {
  const print = (line: string): void => void io.stderr.write(`quartermaster: ${line}\n`);
  const printNew = printOnce(print);
  const { form: askedForm, context, strict: isStrict = false, ...given } = flags;
  const { config: unanswered } = loadSettings(given, io.env);
  const form = askedForm ?? unanswered.mcp.form;
  if (Object.keys(unanswered.mcpServers).length + unanswered.unusableServers.length === 0)
    throw new InputError(NO_SERVERS);
  const { engine } = unanswered.search;
  // An engine that is requested by name and can't run is an error at once; otherwise no client waits for a model to load.
  const asked = engine === 'auto' ? undefined : await configuredEngine(unanswered.search);
  if (asked !== undefined) print(describeEngine(asked));

  // Users may sign in while it runs, and their tokens have to be encrypted.
  if (Object.values(unanswered.mcpServers).some((server) => 'url' in server)) tryToMakeTokenKey(unanswered.store);
  const store = await openStoreIfPossible(unanswered.store, flags, print);
  const load = (): Promise<Config> => loadAnsweredSettings(given, io.env, store?.tokens);
  const config = await load();
  const servers = configuredServers(config, printNew);
  if (servers === undefined) {
    await store?.close();
    throw new InputError(NO_SERVERS);
  }
  const listener = createSignInListener((callback) => hub.finishSignIn(callback));
  const { redirectUrl } = listener;
  const hub: Hub = createConfiguredHub(config, {
    ...{ servers: offerSignIn(servers), store, mcpConfig: flags.mcpConfig, env: io.env, isStrict, redirectUrl },
  });
  const silence = reportServers(hub, print);
  const forget = recordStatus({ hub, env: io.env, files: () => config.files });
  const closed = new AbortController();
  const { signal } = closed;
  const reranker = createServedReranker({
    choose: async () => {
      if (asked !== undefined) return asked;
      const chosen = await configuredEngine(unanswered.search);
      if (!signal.aborted) print(describeEngine(chosen));
      return chosen;
    },
    ...(store === undefined ? {} : { store: store.vectors }),
    signal,
    now: Date.now,
    tell: (event, times) => print(renderRerankerEvent(event, times)),
  });
  const learning = learningFrom(config, store, printNew);
  const proxy = createProxy({
    hub,
    uses: learning?.memoryFor(SERVED_SERVERS),
    onEvent(event) {
      if (event.kind === 'tool-call-end' && !event.isError) learning?.called(event.callerId ?? '', event.tool);
    },
    ...defined({ form }),
    settings: settingsFor(form, await withHotTools(config.tools, learning)),
    limits: contextWindow({ override: context ?? config.mcp.contextTokens }),
    searcher: createSearcherFor(
      { ...config.search, engine },
      { signal, reranker, cache: createIndexCache(config.search.cache, { env: io.env }) },
    ),
    checkArguments: createArgumentChecker({ repair: true }),
    guard: { mode: config.mcp.searchGuard },
    alwaysLoad: config.mcp.alwaysLoad,
    maxQueryLength: config.limits.queryLength,
    maxResultBytes: config.mcp.resultBytes,
  });
  const followed = followSettings({
    ...{ hub, config, load, print },
    serversOf: (now) => offerSignIn(configuredServers(now, printNew) ?? { servers: {} }),
  });
  const { stopped, release } = waitForStop(io, 'quartermaster: stopping', () => void followed.reload());
  try {
    const connection = await serveStdio(proxy, { input: io.stdin, output: io.stdout });
    await Promise.race([connection.closed, stopped]);
  } finally {
    followed.close();
    forget();
    silence();
    await proxy.close();
    closed.abort();
    await hub.close();
    await learning?.flush();
    await listener.close();
    await store?.close();
    // A client that is still there keeps the pipe open, and an open pipe would keep this process alive.
    io.stdin.destroy();
    release();
  }
}

/** Undefined if nothing is to be learned, or there is nowhere to store it. */
function learningFrom(
  { usage: { learn } }: Config,
  store: Store | undefined,
  print: (line: string) => void,
): UseLearning | undefined {
  if (learn === 'off' || store === undefined) return undefined;
  return createUseLearning({
    learn,
    embed: (query) => embeddedModel().query(query),
    store: store.learnedUses,
    clock: BACKGROUND_CLOCK,
    onError: () => print("what was learned from use can't be read or written at the moment"),
  });
}

/** The most used tools are pinned from the start: a list that changes later would invalidate the client's prompt cache. */
async function withHotTools(
  { gate, autoPins }: Config['tools'],
  learning: UseLearning | undefined,
): Promise<GateSettings> {
  const hot = autoPins ? ((await learning?.hotTools('')) ?? []) : [];
  return hot.length === 0 ? gate : { ...gate, pins: [...gate.pins, ...hot] };
}

/** The name of all servers together in what is learned from use; the gateway uses the same one. */
const SERVED_SERVERS = 'mcp';

function describeEngine({ engine, reason }: ChosenEngine): string {
  return `search engine: ${engine} (${reason})`;
}

/** A form set by the user applies whatever the tools cost; otherwise the gate decides. */
function settingsFor(form: ProxyForm | undefined, gate: GateSettings): GateSettings {
  return form === undefined || form === 'inline' ? gate : { ...gate, rule: { kind: 'on' } };
}

/** With the store, not every server has to be started to list its tools, but the proxy works without one. */
async function openStoreIfPossible(
  settings: Config['store'],
  { store: asked }: McpFlags,
  print: (line: string) => void,
): Promise<Store | undefined> {
  try {
    return await openConfiguredStore(settings);
  } catch (error) {
    if (asked !== undefined || !(error instanceof UnavailableError)) throw error;
    print(`continuing without a store, so every server is started at once: ${error.message}`);
    return undefined;
  }
}

const NO_SERVERS = `There are no MCP servers. Name the file that your client keeps them in:

  quartermaster mcp --mcp-config .mcp.json

or give quartermaster.yaml an mcpServers block; quartermaster mcp --help has examples.`;

/** What went wrong with the reranker, on one line that is safe to print. */
export function renderRerankerEvent(event: RerankerFailure, times: number): string {
  const [what, why] =
    event.kind === 'fallback'
      ? ['searched without the reranker', event.reason]
      : ['tool vectors could not be read from the store or written to it', deepestReason(event.cause)];
  return oneLine(`${what}${times > 1 ? ` (${times} times)` : ''}: ${why}`, MOST_CHARACTERS);
}

const MOST_CHARACTERS = 500;
