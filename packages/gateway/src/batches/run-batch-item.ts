import type { ClaimedItem, ItemResult } from '@quartermaster/host/store';
import type { Gatekeeper } from '../access/index.ts';
import type { ModelService, Surface } from '../exchange/index.ts';
import { ApiError, anthropicErrorBody, toApiError } from '../http/index.ts';

export interface BatchItemContext {
  readonly gatekeeper: Gatekeeper;
  readonly models: ModelService;
  readonly messages: Surface<'anthropic'>;
  readonly createId: (prefix: string) => string;
}

/** Answers one request of a batch as if it had come alone. Whatever is wrong with it is its own result. */
export async function runBatchItem(
  item: ClaimedItem,
  context: BatchItemContext,
  signal: AbortSignal,
): Promise<ItemResult> {
  const { gatekeeper, models, messages: surface, createId } = context;
  try {
    const access = await gatekeeper.admitOwner(item.owner);
    if (access === undefined) throw new ApiError(401, 'The key that created this batch is no longer valid');
    const bytes = Buffer.from(item.params);
    const exchange = await models.open({ surface, bytes, headers: new Headers(), access, signal });
    const message = await exchange.whole(signal);
    return { outcome: 'succeeded', result: JSON.stringify({ type: 'succeeded', message }) };
  } catch (error) {
    if (signal.aborted) throw error;
    const told = anthropicErrorBody(toApiError(error), createId('req_'));
    return { outcome: 'errored', result: JSON.stringify({ type: 'errored', error: told }) };
  }
}
