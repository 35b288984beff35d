import type { SearcherSource } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { type Clock, defined } from '@quartermaster/core/internal';
import { createArgumentChecker } from '@quartermaster/host/schema';
import type { UseLearning } from '@quartermaster/host/search';
import { createProxy, PROXY_DEFAULTS, type ProxyOptions } from '@quartermaster/mcp';
import type { GatewaySettings, McpOptions } from './gateway-options.ts';
import { createServerCatalogs, type McpEvents } from './mcp/index.ts';
import type { McpServices } from './routes/index.ts';

/** The configured MCP servers as the routes need them: the proxy in front of their hub, and their tools as a catalog. */
export function createMcpServices(
  options: McpOptions,
  parts: {
    readonly settings: GatewaySettings;
    readonly searcher: SearcherSource;
    readonly clock: Clock;
    readonly events: McpEvents;
    readonly learning: UseLearning | undefined;
    readonly taskOwners: ProxyOptions['taskOwners'];
  },
): McpServices {
  const { settings, searcher, clock, events, learning, taskOwners } = parts;
  const { hub, form, contextTokens, sessions, alwaysLoad, searchGuard = 'hint', origins = [] } = options;
  const { resultBytes, requestBytes, messageValues } = options;
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
  return {
    requestBytes: requestBytes ?? PROXY_DEFAULTS.maxRequestBytes,
    ...{ hub, proxy, origins, within: events.within, catalogs: createServerCatalogs({ hub, clock }) },
    pinsFor: async (owner) => (settings.autoPins ? ((await learning?.hotTools(owner)) ?? []) : []),
  };
}

/** The name of all configured MCP servers together, for learning from use. */
const SERVED_SERVERS = 'mcp';
