import type { Access } from '../access/index.ts';
import type { GatewayModel, Upstreams } from '../configured-upstreams.ts';
import { ApiError } from '../http/index.ts';
import { pageOf } from './read-query.ts';

/** `GET /v1/models`: newest first, paged as in the API. */
export async function listModels(
  upstreams: Upstreams,
  { access, url, signal }: { readonly access: Access; readonly url: URL; readonly signal: AbortSignal },
): Promise<object> {
  const all = (await upstreams.models(signal)).filter(({ id }) => access.mayUseModel(id)).map(writeModel);
  const limit = readLimit(url);
  const after = url.searchParams.get('after_id');
  const before = url.searchParams.get('before_id');
  const placeOf = (wanted: string): number => all.findIndex(({ id }) => id === wanted);
  const from = after === null ? 0 : placeOf(after) + 1;
  const to = before === null ? all.length : Math.max(0, placeOf(before));
  const range = all.slice(from, to);
  const data = before === null ? range.slice(0, limit) : range.slice(-limit);
  // OpenAI's clients read the name of the object.
  return { ...pageOf(data, data.length < range.length), object: 'list' };
}

export async function getModel(
  upstreams: Upstreams,
  { access, id, signal }: { readonly access: Access; readonly id: string; readonly signal: AbortSignal },
): Promise<object> {
  const model = (await upstreams.models(signal)).find((one) => one.id === id && access.mayUseModel(one.id));
  if (model === undefined) throw new ApiError(404, `model: ${id.slice(0, 200)}`);
  return writeModel(model);
}

/** A page's size, as in the API: 1 to 1,000. */
export function readLimit(url: URL): number {
  const text = url.searchParams.get('limit');
  if (text === null) return 20;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new ApiError(400, `limit: Input should be a whole number from 1 to 1000`);
}

/** In the format of both APIs: no field of one means something else in the other. */
function writeModel(model: GatewayModel): { readonly id: string } {
  const { id, createdAt = new Date(0).toISOString(), displayName = id } = model;
  return {
    id,
    ...{ type: 'model', display_name: displayName, created_at: createdAt },
    ...{ capabilities: null, lifecycle: 'active', line: null, deprecated_at: null, retires_at: null },
    ...{ max_input_tokens: model.limits.contextTokens, max_tokens: model.maxOutputTokens ?? null },
    ...{ object: 'model', created: Math.floor(Date.parse(createdAt) / 1000), owned_by: 'quartermaster' },
  };
}
