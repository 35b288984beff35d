import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { createModelNames, createTool, isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type ClientRequest, forwarded } from './client-request.ts';
import { type CollectedList, collectLists, describeMissing, type Listed } from './collect-lists.ts';
import { noteListed } from './pass-on-changes.ts';
import { askOwner } from './serve-resources.ts';
import type { Session } from './session.ts';

export async function listPrompts(session: Session, { signal }: ClientRequest): Promise<JsonObject> {
  noteListed(session, 'prompts');
  const { prompts, missing } = await namedPrompts(session, signal);
  return { prompts: [...prompts].map(([name, { item }]) => ({ ...item, name })), ...describeMissing(missing) };
}

export async function getPrompt(session: Session, request: ClientRequest): Promise<JsonObject> {
  const reading = forwarded(request);
  const { server, item } = await findPrompt(session, request.params.name, request.signal);
  return session.read(server, { ...reading, params: { ...reading.params, name: item.name ?? '' } });
}

/** Completes an argument of a prompt or of a resource's template. */
export async function complete(session: Session, { method, params, signal }: ClientRequest): Promise<JsonObject> {
  const ref = isJsonObject(params.ref) ? params.ref : {};
  if (ref.type !== 'ref/prompt') return askOwner(session, ref.uri, { method, params, signal });
  const { server, item } = await findPrompt(session, ref.name, signal);
  return session.read(server, { method, params: { ...params, ref: { ...ref, name: item.name ?? '' } }, signal });
}

async function findPrompt(session: Session, name: unknown, signal: AbortSignal): Promise<Listed> {
  const { prompts, missing } = await namedPrompts(session, signal);
  const found = typeof name === 'string' ? prompts.get(name) : undefined;
  if (found !== undefined) return found;
  const [first] = missing;
  const unlisted = first === undefined ? '' : `; not all prompts are known (${first.server}: ${first.reason})`;
  const message = `There is no prompt ${JSON.stringify(name)?.slice(0, 200)}${unlisted}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

interface NamedPrompts extends Pick<CollectedList, 'missing'> {
  readonly prompts: ReadonlyMap<string, Listed>;
}

/** By the names that clients see, made like those of tools: stable and unique. */
async function namedPrompts(session: Session, signal: AbortSignal): Promise<NamedPrompts> {
  const question = { method: 'prompts/list', key: 'prompts', capability: 'prompts', signal };
  const { listed, missing } = await collectLists(session, question);
  const byId = new Map<string, Listed>();
  const entries = listed.flatMap((one) => {
    if (typeof one.item.name !== 'string' || one.item.name === '') return [];
    const entry = createTool({ server: one.server, name: one.item.name });
    if (byId.has(entry.id)) return [];
    byId.set(entry.id, one);
    return [entry];
  });
  const names = createModelNames(entries);
  const prompts = new Map(
    [...byId].flatMap(([id, one]) => {
      const name = names.nameOf(id);
      return name === undefined ? [] : [[name, one] as const];
    }),
  );
  return { prompts, missing };
}
