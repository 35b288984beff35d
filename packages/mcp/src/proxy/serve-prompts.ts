import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { createModelNames, createTool, isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Hub } from '../hub/index.ts';
import { type CollectedList, collectLists, describeMissing, type Listed } from './collect-lists.ts';
import type { FollowUp } from './follow-up.ts';
import { askOwner } from './serve-resources.ts';
import type { Session } from './session.ts';

export async function listPrompts(hub: Hub, session: Session, signal: AbortSignal): Promise<JsonObject> {
  const { prompts, missing } = await namedPrompts(hub, session, signal);
  return { prompts: [...prompts].map(([name, { item }]) => ({ ...item, name })), ...describeMissing(missing) };
}

export interface PromptRequest extends Partial<FollowUp> {
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

export async function getPrompt(hub: Hub, session: Session, request: PromptRequest): Promise<JsonObject> {
  const { params, allowInputRequired, signal } = request;
  const { server, item } = await findPrompt(hub, session, { name: params.name, signal });
  const origin = session.readingOrigin(server);
  const own = { ...params, name: item.name ?? '' };
  return hub.request({ server, method: 'prompts/get', params: own, origin, allowInputRequired, signal });
}

/** Completes an argument of a prompt or of a resource's template. */
export async function complete(hub: Hub, session: Session, { params, signal }: PromptRequest): Promise<JsonObject> {
  const ref = isJsonObject(params.ref) ? params.ref : {};
  const method = 'completion/complete';
  if (ref.type !== 'ref/prompt') return askOwner(hub, session, { method, params, uri: ref.uri, signal });
  const { server, item } = await findPrompt(hub, session, { name: ref.name, signal });
  const own = { ...params, ref: { ...ref, name: item.name ?? '' } };
  return hub.request({ server, method, params: own, origin: session.readingOrigin(server), signal });
}

async function findPrompt(
  hub: Hub,
  session: Session,
  { name, signal }: { readonly name: unknown; readonly signal: AbortSignal },
): Promise<Listed> {
  const { prompts, missing } = await namedPrompts(hub, session, signal);
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
async function namedPrompts(hub: Hub, session: Session, signal: AbortSignal): Promise<NamedPrompts> {
  const question = { method: 'prompts/list', key: 'prompts', capability: 'prompts', signal };
  const { listed, missing } = await collectLists(hub, session, question);
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
