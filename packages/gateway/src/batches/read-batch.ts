import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { NewBatchItem } from '@quartermaster/host/store';
import { ApiError, refuseManyParsed } from '../http/index.ts';

const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** The requests of a new batch. Mistakes inside `params` are that request's own error, reported in its result. */
export function readBatch(value: unknown, maxItems: number): readonly NewBatchItem[] {
  const requests = isJsonObject(value) ? value.requests : undefined;
  if (!Array.isArray(requests) || requests.length === 0) {
    throw new ApiError(400, 'requests: at least one request is required');
  }
  if (requests.length > maxItems) throw new ApiError(400, `requests: at most ${maxItems} are allowed`);
  const seen = new Set<string>();
  return requests.map((request: unknown, index) => {
    const { custom_id: customId, params } = isJsonObject(request) ? request : {};
    if (typeof customId !== 'string' || !CUSTOM_ID.test(customId)) {
      throw new ApiError(400, `requests.${index}.custom_id: String should match pattern '${CUSTOM_ID.source}'`);
    }
    if (seen.has(customId)) throw new ApiError(400, `requests.${index}.custom_id: must be unique in the batch`);
    seen.add(customId);
    if (!isJsonObject(params)) throw new ApiError(400, `requests.${index}.params: Input should be an object`);
    refuseTokens(params, index);
    // After a search, an item is read again to continue it.
    refuseManyParsed(params, `requests.${index}.params`);
    return { customId, params: JSON.stringify({ ...params, stream: false }) };
  });
}

/** A batch is stored until it has been processed, and clients' tokens must not be stored. */
function refuseTokens({ mcp_servers: servers }: JsonObject, index: number): void {
  if (!Array.isArray(servers)) return;
  if (!servers.some((server: unknown) => isJsonObject(server) && typeof server.authorization_token === 'string'))
    return;
  throw new ApiError(
    400,
    `requests.${index}.params.mcp_servers: authorization_token is not allowed in a batch, since it would have to be stored`,
  );
}
