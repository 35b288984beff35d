import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { Reading } from './session.ts';

/** A client's request while it is served. */
export interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly context: ServerContext;
  /** Ends it: the client's own signal, or that of a call which outlives the client's request. */
  readonly signal: AbortSignal;
}

/** The key of the answer to our own question, where the user signs in. No server sees it. */
export const SIGN_IN_KEY = 'quartermaster/sign-in';

/** What the client can be asked. On the newer revision each request says so. */
export function capabilitiesIn({ mcpReq }: ServerContext): Json | undefined {
  return (mcpReq.envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** The parameters that a server of the newer revision needs to ask the client for input, and to receive it. */
export function followUp(context: ServerContext, meta: JsonObject): JsonObject {
  const { [SIGN_IN_KEY]: _, ...inputResponses } = context.mcpReq.inputResponses ?? {};
  const capabilities = capabilitiesIn(context);
  return {
    ...withMeta(capabilities === undefined ? meta : { ...meta, [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
    ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses: inputResponses as JsonObject }),
    ...defined({ requestState: context.mcpReq.requestState<string>() }),
  };
}

/** A request as it goes on to a server: a client of the newer revision can be asked for input in its result. */
export function forwarded({ method, params, context, signal }: ClientRequest): Reading & Pick<ClientRequest, 'params'> {
  const allowInputRequired = context.mcpReq.envelope !== undefined;
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const own = allowInputRequired ? { ...params, ...followUp(context, meta) } : params;
  return { method, params: own, allowInputRequired, signal };
}

export function withMeta(meta: JsonObject): JsonObject {
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
