import { consoleFolder } from '@quartermaster/console';
import { defined } from '@quartermaster/core/internal';
import type { RerankerEmbedder } from '@quartermaster/core/search';
import {
  atLevel,
  createGateway,
  createLineLogger,
  gatewayOptionsFrom,
  LOG_LEVELS,
  type LogEntry,
  type Logger,
  limitHeapGrowth,
  openTracing,
} from '@quartermaster/gateway';
import type { Config, UpstreamSettings } from '@quartermaster/host/config';
import { createIndexCache } from '@quartermaster/host/search';
import type { Store } from '@quartermaster/host/store';
import { note, print } from '../../command-io.ts';
import type { CommandContext, ServeFlags } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { lintTools } from '../../lint/index.ts';
import { oneLine, type Terminal } from '../../terminal/index.ts';
import { installLastResort } from '../process/last-resort.ts';
import { printOnce } from '../process/print-once.ts';
import { waitForStop } from '../process/watch-stop-signals.ts';
import { configuredServers, createConfiguredHub } from '../servers/create-configured-hub.ts';
import { reportServers } from '../servers/report-servers.ts';
import { configuredEngine } from '../settings/configured-engine.ts';
import { describeDeferral } from '../settings/describe-deferral.ts';
import { followSettings } from '../settings/follow-settings.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import {
  describeStore,
  openConfiguredStore,
  prepareTranscriptKey,
  tryToMakeTokenKey,
} from '../store/open-configured-store.ts';
import { listen } from './listen.ts';
import { renderGreeting } from './render-greeting.ts';
import { storeSampleCatalog } from './store-sample-catalog.ts';

/** Serves the gateway until a signal stops it. */
export async function serveGateway(flags: ServeFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const { log, ...given } = flags;
  const { config, hasFile } = loadSettings(given, io.env);
  const chosen = await configuredEngine(config.search);
  await note(
    io,
    `Opening the store (${describeStore(config.store)})\n${describeDeferral(config)}\nSearch engine: ${chosen.engine} (${chosen.reason})`,
  );
  // Users may sign in while it runs, and their tokens have to be encrypted.
  if (hasSignIn(config)) tryToMakeTokenKey(config.store);
  const hint = config.transcripts.keep === 'store' ? prepareTranscriptKey(config.store) : undefined;
  if (hint !== undefined) await note(io, hint);
  const store = await openConfiguredStore(config.store);
  try {
    const isPortFlexible = flags.port === undefined && !hasFile && !io.env.QUARTERMASTER_PORT;
    const load = (): Promise<Config> => loadAnsweredSettings(given, io.env, store.tokens);
    await serveFrom(
      store,
      { config: await load(), load, embedder: chosen.embedder, isPortFlexible, logger: createLogger(log, context) },
      context,
    );
  } finally {
    await store.close();
  }
}

interface Serving {
  readonly config: Config;
  /** Reads the settings again. */
  readonly load: () => Promise<Config>;
  readonly embedder: RerankerEmbedder | undefined;
  readonly isPortFlexible: boolean;
  readonly logger: Logger;
}

async function serveFrom(store: Store, serving: Serving, context: CommandContext): Promise<void> {
  const { config, load, embedder, isPortFlexible, logger } = serving;
  limitHeapGrowth();
  const { io, terminal } = context;
  const isRehearsal = config.upstreams.length === 0;
  if (isRehearsal) await note(io, 'Loading the sample catalog');
  const sample = isRehearsal ? await storeSampleCatalog(store.catalogs, io) : undefined;
  const tell = (line: string): void => void note(io, line);
  const printNew = printOnce(tell);
  const servers = configuredServers(config, printNew);
  const { publicUrl } = config.listen;
  const signInPage = publicUrl === undefined ? undefined : `${publicUrl.replace(/\/+$/, '')}/sign-in`;
  const hub =
    servers === undefined ? undefined : createConfiguredHub(config, { servers, store, env: io.env, signInPage });
  const silence = hub === undefined ? undefined : reportServers(hub, tell);

  const { connector: _, ...served } = config.mcp;
  const hasKeys = config.keys.length > 0 || (await store.keys.list()).length > 0;
  const upstreams = isRehearsal ? [REHEARSAL] : config.upstreams;
  const gateway = createGateway({
    ...gatewayOptionsFrom({ ...config, upstreams }, { env: io.env }),
    store,
    logger,
    console: consoleFolder,
    lint: lintTools,
    ...defined({ indexCache: createIndexCache(config.search.cache, { env: io.env, store: store.indexes }) }),
    ...(embedder === undefined ? {} : { reranker: { embedder } }),
    ...(hub === undefined ? {} : { mcp: { ...served, hub } }),
    ...defined({ tracing: await openTracing(io.env) }),
  });
  const followed =
    hub === undefined
      ? undefined
      : followSettings({
          ...{ hub, config, load, print: tell },
          serversOf: (now) => configuredServers(now, printNew) ?? { servers: {} },
        });
  const reload = (): void => (followed === undefined ? tell(NOTHING_TO_RELOAD) : void followed.reload());
  // A closed terminal sends the same signal; ignoring it would leave a process that no one can stop.
  const onReload = io.stdout.isTTY === true ? undefined : reload;
  const { stopped, release } = waitForStop(io, STOP_NOTICE, onReload);
  let uninstall: () => void = () => undefined;
  const broken = new Promise<void>((resolve) => {
    uninstall = installLastResort({ logger, onTooMany: resolve });
  }).then(() => context.exit(EXIT.fault));
  try {
    const server = await listen({ ...config.listen, gateway, hasKeys, isPortFlexible });
    const models = config.upstreams.flatMap((upstream) => upstream.models);
    const greeting = { url: server.url, models, hasKeys, hasMcp: hub !== undefined };
    await print(io, renderGreeting({ ...greeting, ...defined({ sample }) }, terminal));
    // Not awaited: requests until then use the listings from the last run.
    hub?.start().catch(() => tell('MCP servers could not be started'));
    await Promise.race([stopped, broken]);
    await server.close();
  } finally {
    // Closing again is harmless; if nothing was listening, the gateway's own work still has to end.
    await gateway.close();
    followed?.close();
    silence?.();
    await hub?.close();
    uninstall();
    release();
  }
}

function hasSignIn({ mcpServers }: Config): boolean {
  return Object.values(mcpServers).some((server) => 'oauth' in server && server.oauth !== false);
}

/** Written to stderr, because stdout has the greeting, which scripts may read only up to the line they need. */
function createLogger(form: ServeFlags['log'], context: CommandContext): Logger {
  const asked = context.io.env.QUARTERMASTER_LOG || 'info';
  const level = LOG_LEVELS.find((one) => one === asked);
  if (level === undefined) {
    throw new InputError(
      `QUARTERMASTER_LOG is ${JSON.stringify(asked.slice(0, 60))}, not one of ${LOG_LEVELS.join(', ')}`,
    );
  }
  return atLevel(createFormLogger(form, context), level);
}

function createFormLogger(form: ServeFlags['log'], { io, terminal }: CommandContext): Logger {
  const print = (line: string): void => void io.stderr.write(line);
  switch (form ?? (io.stdout.isTTY === true ? 'text' : 'json')) {
    case 'none':
      return { log: () => undefined };
    case 'json':
      return createLineLogger(print);
    case 'text':
      return { log: (entry) => print(`${renderLogEntry(entry, terminal, new Date())}\n`) };
  }
}

/** The upstream if none is configured. */
const REHEARSAL: UpstreamSettings = { models: ['*'], provider: 'rehearsal', toolSearch: 'local' };

const NOTHING_TO_RELOAD = 'Not reloaded: there were no MCP servers at startup. Restart to add the first one.';

const STOP_NOTICE = 'Stopping after the responses in progress. Press Ctrl+C again to stop now.';

/** One line for each request. The client chooses the model's name, so control characters are removed from it. */
function renderLogEntry(entry: LogEntry, { paint, width }: Terminal, now: Date): string {
  const { status, route, path, model, upstream, durationMs, errorType, work, reason, error, code, place } = entry;
  const { decision, outcome, found, tool } = entry;
  const shown = entry.level === 'debug' ? 'debug' : String(status ?? '–');
  const facts = [
    route,
    path,
    entry.level === 'debug' ? entry.event : undefined,
    entry.level === 'debug' ? decision : undefined,
    outcome,
    tool,
    found,
    model === undefined ? undefined : `${model} (${upstream ?? 'no upstream'})`,
    work,
    errorType,
    reason,
    error,
    code,
    place,
    durationMs === undefined ? undefined : `${durationMs} ms`,
  ].filter((fact) => fact !== undefined);
  const text = oneLine(facts.join('  '), width);
  return `${paint.dim(now.toTimeString().slice(0, 8))}  ${entry.level === 'info' ? paint.green(shown) : paint.yellow(shown)}  ${text}`;
}
