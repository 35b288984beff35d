import type { SearcherSource } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { type Clock, defined } from '@quartermaster/core/internal';
import { createArgumentChecker } from '@quartermaster/host/schema';
import type { UseLearning } from '@quartermaster/host/search';
import { createProxy, PROXY_DEFAULTS, type ProxyOptions } from '@quartermaster/mcp';
import type { GatewayEvent } from './events/index.ts';
import type { GatewaySettings, McpOptions } from './gateway-options.ts';
import { createMcpEvents, createServerCatalogs } from './mcp/index.ts';
import type { McpServices } from './routes/index.ts';
import type { Tracing } from './tracing/index.ts';

/** The configured MCP servers as the routes need them: the proxy in front of their hub, and their tools as a catalog. */
export function createMcpServices(
  options: McpOptions,
  parts: {
    readonly settings: GatewaySettings;
    readonly searcher: SearcherSource;
    readonly clock: Clock;
    readonly emit: (event: GatewayEvent) => void;
    readonly tracing: Tracing | undefined;
    readonly learning: UseLearning | undefined;
    readonly taskOwners: ProxyOptions['taskOwners'];
  },
): McpServices {
  const { settings, searcher, clock, learning, taskOwners } = parts;
  const { hub, form, contextTokens, sessions, alwaysLoad, searchGuard = 'hint', origins = [] } = options;
  const { resultBytes, requestBytes, messageValues } = options;
  const events = createMcpEvents(hub, parts);
  const isForced = form === 'bridge' || form === 'load';
  const proxy = createProxy({
    hub,
    clock,
    // A configured form applies whatever the tools cost; otherwise the gate decides.
    settings: isForced ? { ...settings.gate, rule: { kind: 'on' } } : settings.gate,
    limits: contextWindow({ override: contextTokens }),
    searcher,
    uses: learning?.memoryFor(SERVED_SERVERS),
    checkArguments: createArgumentChecker({ repair: true }),
    onEvent: events.onEvent,
    callMeta: events.callMeta,
    recordQueries: settings.insight.keep === 'queries',
    guard: { mode: searchGuard },
    ...defined({ alwaysLoad, maxResultBytes: resultBytes, taskOwners }),
    ...defined({ maxRequestBytes: requestBytes, maxMessageValues: messageValues }),
    maxQueryLength: settings.maxQueryLength,
    ...defined({ form, sessions }),
  });
  const unfollow = events.follow();
  return {
    requestBytes: requestBytes ?? PROXY_DEFAULTS.maxRequestBytes,
    ...{ hub, proxy, origins, within: events.within, catalogs: createServerCatalogs({ hub, clock }) },
    async close() {
      unfollow();
      await proxy.close();
    },
    pinsFor: async (owner) => (settings.autoPins ? ((await learning?.hotTools(owner)) ?? []) : []),
  };
}

/** The name of all configured MCP servers together, for learning from use. */
const SERVED_SERVERS = 'mcp';
