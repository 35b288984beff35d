import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Hub } from '../hub/index.ts';
import { askInTurn } from './ask-in-turn.ts';
import { collectLists, describeMissing, serversWith } from './collect-lists.ts';
import type { FollowUp } from './follow-up.ts';
import type { Session } from './session.ts';

export async function listResources(hub: Hub, session: Session, signal: AbortSignal): Promise<JsonObject> {
  const question = { method: 'resources/list', key: 'resources', capability: 'resources', signal };
  const { listed, missing } = await collectLists(hub, session, question);
  for (const { server, item } of listed) {
    if (typeof item.uri === 'string' && !session.resourceOwners.has(item.uri))
      session.resourceOwners.set(item.uri, server);
  }
  return { resources: listed.map(({ item }) => item), ...describeMissing(missing) };
}

export async function listResourceTemplates(hub: Hub, session: Session, signal: AbortSignal): Promise<JsonObject> {
  const question = { method: 'resources/templates/list', key: 'resourceTemplates', capability: 'resources', signal };
  const { listed, missing } = await collectLists(hub, session, question);
  return { resourceTemplates: listed.map(({ item }) => item), ...describeMissing(missing) };
}

export interface ResourceRequest extends Partial<FollowUp> {
  readonly method: 'resources/read' | 'completion/complete';
  readonly params: JsonObject;
  readonly uri: unknown;
  readonly signal: AbortSignal;
}

/**
 * Sends a request about a resource to the server that has it. URIs are left unchanged, because results of tools refer to them,
 * so the owner is the server that listed it, or else the first that answers. A silent server blocks no other.
 */
export async function askOwner(hub: Hub, session: Session, request: ResourceRequest): Promise<JsonObject> {
  const { method, params, uri, allowInputRequired, signal } = request;
  if (typeof uri !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method} needs a uri`);
  const capability = method === 'completion/complete' ? 'completions' : 'resources';
  const servers = serversWith(hub, session, capability).map(({ name }) => name);
  const owner = session.resourceOwners.get(uri);
  const order =
    owner !== undefined && servers.includes(owner) ? [owner, ...servers.filter((one) => one !== owner)] : servers;
  const asks = order.map((server) => (asking: AbortSignal) => {
    const origin = session.readingOrigin(server);
    return hub.request({ server, method, params, origin, allowInputRequired, signal: asking });
  });
  const answer = await askInTurn(asks, { clock: session.clock, signal, isFirstSure: order[0] === owner });
  if (answer !== undefined) return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No server has the resource ${uri.slice(0, 200)}`);
}
