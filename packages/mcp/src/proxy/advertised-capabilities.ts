import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { serversWith } from './collect-lists.ts';
import type { Session } from './session.ts';

/**
 * What the proxy offers a client: what at least one server supports and the connection can carry. On the older revisions, a
 * stateless request can't be notified of changes. Until all servers are ready, everything that they may support is offered: a
 * client can't be told of a capability later.
 */
export function advertisedCapabilities(session: Session): ServerCapabilities {
  const { isLasting, hearsChanges } = session;
  if (!session.proxy.start.isSettled) {
    session.wasGreetedEarly = true;
    if (isLasting) return EARLY_CAPABILITIES;
    const { tools, prompts, resources, completions } = EARLY_CAPABILITIES;
    const all = { tools, prompts, resources, completions } as ServerCapabilities;
    return hearsChanges ? all : { tools: {}, prompts: {}, resources: {}, completions: {} };
  }
  const of = (capability: string): readonly JsonObject[] =>
    serversWith(session, capability).map(({ capabilities }) => {
      const value = capabilities[capability];
      return isJsonObject(value) ? value : {};
    });
  const prompts = of('prompts');
  const resources = of('resources');
  const tasks = of('tasks');
  const listChanged = (list: readonly JsonObject[]): { listChanged?: true } =>
    hearsChanges && list.some((one) => one.listChanged === true) ? { listChanged: true } : {};
  return {
    tools: hearsChanges ? { listChanged: true } : {},
    ...(prompts.length === 0 ? {} : { prompts: listChanged(prompts) }),
    // There is always our own resource: the status.
    resources: {
      ...listChanged(resources),
      ...(hearsChanges && resources.some((one) => one.subscribe === true) ? { subscribe: true } : {}),
    },
    ...(of('completions').length === 0 ? {} : { completions: {} }),
    ...(isLasting && of('logging').length > 0 ? { logging: {} } : {}),
    ...(isLasting && tasks.length > 0
      ? { tasks: Object.assign({}, ...tasks) as NonNullable<ServerCapabilities['tasks']> }
      : {}),
  };
}

/** Everything that may ever be offered: the SDK sends nothing that was not declared before connecting. */
export const ALL_CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

/** Without tasks: a tool that needs them says so in its definition, and few servers have any. */
const { tasks: _, ...EARLY_CAPABILITIES } = ALL_CAPABILITIES;
