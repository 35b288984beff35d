import type { JsonObject } from '@quartermaster/core/catalog';
import type { ClaimedItem, ItemResult } from '@quartermaster/host/store';
import type { DialectOf } from '@quartermaster/host/upstream';
import { type AnthropicResponse, joinResponses } from '@quartermaster/wires/anthropic';
import type { Access, Gatekeeper } from '../access/index.ts';
import type { Activity } from '../events/index.ts';
import { type Continuation, type HeldModels, type OpenExchange, tallyUse } from '../exchange/index.ts';
import {
  ApiError,
  anthropicErrorBody,
  chargeUse,
  faultOf,
  isStoreError,
  type RequestContext,
  toApiError,
} from '../http/index.ts';
import type { Logger } from '../logger.ts';
import type { Tracing } from '../tracing/index.ts';
import { type ItemWork, ShareUsedUp } from './batch-worker.ts';

export interface BatchItemContext {
  readonly gatekeeper: Gatekeeper;
  readonly models: { hold(signal: AbortSignal): HeldModels };
  readonly messages: DialectOf<'anthropic'>;
  readonly createId: (prefix: string) => string;
  /** How many times the model is called for one item, at least 1. */
  readonly maxRounds: number;
  readonly activity: Activity;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  readonly logger: Logger;
  readonly now: () => number;
}

interface ItemAnswer {
  readonly message: AnthropicResponse;
  readonly exchange: OpenExchange<'anthropic'>;
}

/** Answers one request of a batch as if it had come alone. Any error is its own result. */
export async function runBatchItem(item: ClaimedItem, context: BatchItemContext, work: ItemWork): Promise<ItemResult> {
  const { gatekeeper, activity, tracing } = context;
  const run: ItemRun = { requestId: context.createId('req_'), atMs: context.now(), facts: { route: ROUTE } };
  const { requestId } = run;
  activity.begin({ ...run, access: { owner: item.owner } });
  tracing?.beginRequest({ requestId, route: ROUTE });
  try {
    const access = await gatekeeper.admitOwner(item.owner);
    if (access === undefined) throw new ApiError(401, 'The key that created this batch is no longer valid');
    run.access = access;
    if (item.progress === undefined) await takeShare(gatekeeper, access);
    const models = context.models.hold(work.signal);
    const answer = { ...context, models, access, run };
    const message = await answerItem(item, answer, work).finally(() => models.close());
    await endItem(context, run);
    return { outcome: 'succeeded', result: JSON.stringify({ type: 'succeeded', message }) };
  } catch (error) {
    if (work.signal.reason === 'canceling') {
      await endItem(context, run, new ApiError(CANCELED, 'The batch was canceled'));
      throw error;
    }
    // A store that is unavailable says nothing about the item: it returns to the queue, without an error.
    if (work.signal.aborted || isStoreError(error) || error instanceof ShareUsedUp) {
      tracing?.dropRequest(requestId);
      activity.drop(requestId);
      throw error;
    }
    const told = toApiError(error);
    await endItem(context, run, told);
    const body = anthropicErrorBody(told, requestId);
    return { outcome: 'errored', result: JSON.stringify({ type: 'errored', error: body }) };
  }
}

/** For metrics and logs. */
const ROUTE = 'batch_item';

/** What is known of an item so far. Its model is known once the first call is made. */
interface ItemRun extends Pick<RequestContext, 'requestId' | 'atMs' | 'facts'> {
  access?: Access;
  answer?: ItemAnswer;
}

/** With an error, the usage of earlier answers counts anyway. */
async function endItem(context: BatchItemContext, run: ItemRun, error?: ApiError): Promise<void> {
  const { requestId, atMs, facts, access, answer } = run;
  const { messages, activity, logger, now } = context;
  const tally = answer === undefined ? undefined : tallyUse(messages, answer.exchange);
  for (const part of answer === undefined ? [] : messages.whole.toParts(answer.message)) tally?.add(part);
  activity.end({
    ...{ id: requestId, atMs, route: ROUTE, status: error?.status ?? 200, durationMs: now() - atMs },
    ...{ owner: access?.owner ?? '', key: access?.name, used: tally?.used, called: tally?.called ?? [] },
    ...{ model: facts.model, upstream: facts.upstream, error: error?.type },
  });
  const fault = faultOf(error);
  if (fault.error !== undefined) logger.log({ level: 'error', event: 'work-fail', work: 'batch-item', ...fault });
  await chargeUse(context, { requestId, access, used: tally?.used });
}

/** An item counts as a request. One that was already begun is not counted again. */
async function takeShare(gatekeeper: Gatekeeper, access: Access): Promise<void> {
  try {
    await gatekeeper.take(access, 'batch-item');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 429) throw error;
    throw new ShareUsedUp(1000 * Number(error.headers['retry-after'] ?? 60));
  }
}

/** The status that proxies log if no one waits for an answer. */
const CANCELED = 499;

interface ItemContext extends Pick<BatchItemContext, 'messages' | 'maxRounds'> {
  /** Gets the answer so far. */
  readonly run: ItemRun;
  /** The item's own signal. */
  readonly models: HeldModels;
  readonly access: Access;
}

/** One call to a model at a time: at each pause the progress is saved, and the next call continues from there. */
async function answerItem(
  item: ClaimedItem,
  { models, messages: dialect, access, run, maxRounds }: ItemContext,
  { signal, keep }: ItemWork,
): Promise<AnthropicResponse> {
  const { requestId, facts } = run;
  const headers = new Headers(item.headers);
  let progress: ItemProgress | undefined = readProgress(item.progress);
  for (;;) {
    const bytes = Buffer.from(bodyOf(item, progress));
    const roundsBefore = progress?.rounds ?? 0;
    const exchange = await models.open({
      ...{ dialect, bytes, headers, access, signal, requestId, roundsBefore },
      maxRounds: 1,
    });
    facts.model = exchange.model;
    facts.upstream = exchange.upstream;
    if (progress !== undefined) run.answer = { message: progress.message, exchange };
    const round = await exchange.whole(signal);
    const message: AnthropicResponse = progress === undefined ? round : joinResponses(progress.message, round);
    const next = exchange.continuation();
    if (next === undefined || roundsBefore + 1 >= maxRounds) {
      run.answer = { message, exchange };
      return message;
    }
    const messages = [...(progress?.next.messages ?? []), ...next.messages];
    const fields = { ...progress?.next.fields, ...next.fields };
    progress = { rounds: roundsBefore + 1, message, next: { messages, fields } };
    await keep(JSON.stringify(progress));
  }
}

/** The progress of an item. It is saved after each call to a model, so that only the last call can ever be repeated. */
interface ItemProgress {
  /** How many times the model was called. */
  readonly rounds: number;
  /** The response so far: everything that a client would have been sent. */
  readonly message: AnthropicResponse;
  /** How the item's request continues. */
  readonly next: Continuation;
}

/** Undefined if there is none, or if an earlier version saved one that can't be read any more. */
function readProgress(text: string | undefined): ItemProgress | undefined {
  if (text === undefined) return undefined;
  const value = JSON.parse(text) as Partial<ItemProgress>;
  const isWhole =
    typeof value.rounds === 'number' && Array.isArray(value.message?.content) && Array.isArray(value.next?.messages);
  return isWhole ? (value as ItemProgress) : undefined;
}

function bodyOf({ params }: ClaimedItem, progress: ItemProgress | undefined): string {
  if (progress === undefined) return params;
  const request = JSON.parse(params) as JsonObject;
  const messages = Array.isArray(request.messages) ? request.messages : [];
  const { fields, messages: added } = progress.next;
  return JSON.stringify({ ...request, ...fields, messages: [...messages, ...added] });
}
