import type { JsonObject } from '@quartermaster/core/catalog';
import { cutText, defined } from '@quartermaster/core/internal';
import type { ServerStatus } from '../hub/index.ts';
import type { Session } from './session.ts';

/** Our own resource, in addition to those of the servers. */
export const STATUS_URI = 'quartermaster://status';

const MOST_REASON = 500;

/** The resource's entry in a list. */
export const STATUS_RESOURCE: JsonObject = {
  uri: STATUS_URI,
  name: 'quartermaster-status',
  title: 'Status of the servers behind Quartermaster',
  description:
    'Servers, their states with reasons, their tools, their last errors, and how many tokens are kept out of the window',
  mimeType: 'application/json',
};

/** The content of the resource: only servers that the client may use. */
export function readStatus(session: Session): JsonObject {
  const { hub, proxy } = session;
  const plan = session.currentPlan();
  const { before, after } = plan.tokens;
  const servers = hub.status().filter(({ name }) => session.permissions.allowsServer(name));
  const missing = hub.unavailable().filter(({ server }) => session.permissions.allowsServer(server));
  const status = {
    tools: hub.snapshot().tools.filter(session.permissions.allowsTool).length,
    tokens: {
      of_all_tools: before,
      listed: after,
      kept_out: Math.max(0, before - after),
      window: proxy.limits.contextTokens,
    },
    form: plan.kind,
    servers: servers.map((server) => describeServer(server, session)),
    unavailable: missing.map(({ server, reason }) => ({ server, reason: cutText(reason, MOST_REASON) })),
  };
  return { contents: [{ uri: STATUS_URI, mimeType: 'application/json', text: JSON.stringify(status, undefined, 2) }] };
}

/** What a server wrote to its standard error may contain secrets, so only the user who started it sees it. */
function describeServer(server: ServerStatus, { isSole, permissions }: Session): JsonObject {
  const { name, state, reason, tools, problems, noise, stderr, protocolVersion } = server;
  const isAllowed = ({ tool }: { readonly tool: string }): boolean =>
    permissions.allowsTool({ server: name, name: tool.slice(name.length + 1) });
  const [held, suspicions] = [server.held.filter(isAllowed), server.suspicions.filter(isAllowed)];
  const lines = stderr.trim().split('\n');
  const said = isSole && state === 'down' ? lines.at(-1) : undefined;
  return {
    name,
    state,
    ...defined({ reason: reason === undefined ? undefined : cutText(reason, MOST_REASON) }),
    tools,
    ...defined({ protocol_version: protocolVersion }),
    ...defined({
      problems: listed(problems, (one) => cutText(one, MOST_REASON)),
      held: listed(held, ({ tool }) => tool),
      findings: listed(suspicions, ({ tool, kind, at }) => ({ tool, kind, at })),
      last_error: noise.last === undefined ? undefined : cutText(noise.last, MOST_REASON),
      stderr: said === undefined || said === '' ? undefined : cutText(said, MOST_REASON),
    }),
  };
}

/** The first of some items; undefined if there are none. */
function listed<Item, Shown>(items: readonly Item[], show: (item: Item) => Shown): readonly Shown[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, MOST_LISTED).map(show);
}

const MOST_LISTED = 20;
