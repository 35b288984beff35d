import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';

/** What a client of the newer revision sends with a request: answers to the server's earlier questions, and what it can be asked. */
export interface FollowUp {
  readonly params: JsonObject;
  /** Whether a result may request input. */
  readonly allowInputRequired: boolean;
}

/** The request's own parameters, with what a server of the newer revision needs to request input and to receive it. */
export function withFollowUp(params: JsonObject, context: ServerContext): FollowUp {
  const { envelope, inputResponses } = context.mcpReq;
  if (envelope === undefined) return { params, allowInputRequired: false };
  const requestState = context.mcpReq.requestState<string>();
  const capabilities = (envelope as JsonObject)[CLIENT_CAPABILITIES_META_KEY];
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return {
    params: {
      ...params,
      ...(capabilities === undefined ? {} : { _meta: { ...meta, [CLIENT_CAPABILITIES_META_KEY]: capabilities } }),
      ...(inputResponses === undefined ? {} : { inputResponses: inputResponses as JsonObject }),
      ...defined({ requestState }),
    },
    allowInputRequired: true,
  };
}
