import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import { askInTurn } from './ask-in-turn.ts';
import { type ClientRequest, forwarded } from './client-request.ts';
import { collectLists, describeMissing, serversWith } from './collect-lists.ts';
import type { Reading, Session } from './session.ts';

export async function listResources(
  session: Session,
  { signal }: Pick<ClientRequest, 'signal'>,
): Promise<{ readonly resources: readonly JsonObject[] } & JsonObject> {
  const question = { method: 'resources/list', key: 'resources', capability: 'resources', signal };
  const { listed, missing } = await collectLists(session, question);
  for (const { server, item } of listed) {
    if (typeof item.uri === 'string' && !session.resourceOwners.has(item.uri))
      session.resourceOwners.set(item.uri, server);
  }
  return { resources: listed.map(({ item }) => item), ...describeMissing(missing) };
}

export async function listResourceTemplates(session: Session, { signal }: ClientRequest): Promise<JsonObject> {
  const question = { method: 'resources/templates/list', key: 'resourceTemplates', capability: 'resources', signal };
  const { listed, missing } = await collectLists(session, question);
  return { resourceTemplates: listed.map(({ item }) => item), ...describeMissing(missing) };
}

export function readResource(session: Session, request: ClientRequest): Promise<JsonObject> {
  return askOwner(session, request.params.uri, forwarded(request));
}

/**
 * Sends a request about a resource to the server that has it. URIs are left unchanged, because results of tools refer to them,
 * so the owner is the server that listed it, or else the first that answers. A silent server blocks no other.
 */
export async function askOwner(session: Session, uri: unknown, request: Reading): Promise<JsonObject> {
  const { method, signal } = request;
  if (typeof uri !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method} needs a uri`);
  const capability = method === 'completion/complete' ? 'completions' : 'resources';
  const servers = serversWith(session, capability).map(({ name }) => name);
  const { order, isFirstSure } = ownerFirst(session, uri, servers);
  const asks = order.map((server) => (asking: AbortSignal) => session.read(server, { ...request, signal: asking }));
  const answer = await askInTurn(asks, { clock: session.clock, signal, isFirstSure });
  if (answer !== undefined) return answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No server has the resource ${uri.slice(0, 200)}`);
}

/** Servers in the order to ask them about a resource. The one that listed it comes first, and is sure to have it. */
export function ownerFirst(
  { resourceOwners }: Session,
  uri: string,
  servers: readonly string[],
): { readonly order: readonly string[]; readonly isFirstSure: boolean } {
  const owner = resourceOwners.get(uri);
  if (owner === undefined || !servers.includes(owner)) return { order: servers, isFirstSure: false };
  return { order: [owner, ...servers.filter((one) => one !== owner)], isFirstSure: true };
}
