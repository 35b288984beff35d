import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { UpstreamError } from '@quartermaster/core/errors';
import { type Clock, checkOptionNames, once, SYSTEM_CLOCK } from '@quartermaster/core/internal';
import { modelWhole } from '@quartermaster/wires/ai-sdk';
import {
  DIALECTS,
  type DialectName,
  type DialectUpstream,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  type UpstreamClient,
} from '../dialect.ts';
import { HTTP_TIMEOUTS, type HttpUpstreamOptions } from '../http/http-upstream-options.ts';
import { isTooDeep, writeBody } from '../http/post.ts';
import { createDeadline, retriesFor, retry, retryStream, type Step, withinDeadline } from '../internal/retry.ts';
import { modelError } from './model-error.ts';
import { type ModelTarget, targetOf } from './model-target.ts';
import { type BlockEvent, createPartSerialiser, type Finish } from './serialise-parts.ts';
import { tellExecuted } from './tell-executed.ts';

/** Options of `createModelUpstream`. */
export interface ModelUpstreamOptions<D extends DialectName>
  extends Pick<HttpUpstreamOptions<D>, 'dialect' | 'timeouts' | 'retries'> {
  readonly model: LanguageModelV4;
  /** In core's table of transports. @default ai-sdk */
  readonly transport?: string;
  /** Whether the model reads images; if not, a note replaces each image. @default true */
  readonly seesImages?: boolean;
  /** Makes ids for responses whose provider gives none. @default random */
  readonly createId?: () => string;
  /** Headers with the credentials that the package sends. Errors that quote them don't show them. @default none */
  readonly sent?: Headers;
}

/**
 * Any provider of the AI SDK behind the client's dialect. Requests are translated by the table in the wire facts, and each
 * dialect's `toCall` lists what is lost; the parts that come back are put in order, one block at a time, and written as the
 * dialect's own. Knows nothing of tool search.
 */
export function createModelUpstream<D extends DialectName>(options: ModelUpstreamOptions<D>): DialectUpstream<D> {
  checkOptionNames('createModelUpstream', options, 'dialect model transport seesImages timeouts retries createId sent');
  return open(options, {});
}

function open<D extends DialectName>(options: ModelUpstreamOptions<D>, client: UpstreamClient): DialectUpstream<D> {
  const { seesImages = true } = options;
  const asking: Asking<D> = { options, client, target: { ...targetOf(options.model), seesImages } };
  return {
    dialect: options.dialect,
    transport: options.transport ?? 'ai-sdk',
    stream: (request, signal) =>
      retryStream(() => translated(asking, request, signal), signal, retriesFor(options.retries, client, 'stream')),
    whole: (request, signal) => askWhole(asking, request, signal),
    forClient: (next) => open(options, { ...client, ...next }),
  };
}

interface Asking<D extends DialectName> {
  readonly options: ModelUpstreamOptions<D>;
  readonly client: UpstreamClient;
  readonly target: ModelTarget;
}

async function* translated<D extends DialectName>(
  asking: Asking<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): AsyncGenerator<PartOf<D>, void, undefined> {
  const { options, target } = asking;
  const { connectMs, idleMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const deadline = createDeadline(stepOf(asking, request, signal));
  try {
    const call = DIALECTS[options.dialect].codec.toCall(request, target);
    deadline.allow(connectMs, 'no stream');
    const { stream, response } = await options.model.doStream({ ...call, abortSignal: deadline.signal });
    asking.client.onResponse?.({ status: 200, headers: new Headers(response?.headers) });
    const translation = createTranslation(asking, request);
    for await (const part of readParts(stream, deadline.signal)) {
      deadline.allow(idleMs, 'nothing more of its stream');
      yield* translation.read(part);
    }
    yield* translation.end();
  } catch (error) {
    throw deadline.reasonFor(error);
  } finally {
    deadline.stop();
  }
}

async function askWhole<D extends DialectName>(
  asking: Asking<D>,
  request: RequestOf<D>,
  signal: AbortSignal,
): Promise<ResponseOf<D>> {
  const { options, target } = asking;
  const { wholeMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const attempt = (): Promise<ResponseOf<D>> =>
    withinDeadline(stepOf(asking, request, signal), async (deadline) => {
      const call = DIALECTS[options.dialect].codec.toCall(request, target);
      deadline.allow(wholeMs, 'no whole response');
      const result = await options.model.doGenerate({ ...call, abortSignal: deadline.signal });
      asking.client.onResponse?.({ status: 200, headers: new Headers(result.response?.headers) });
      const translation = createTranslation(asking, request);
      const parts = modelWhole.toParts(result).flatMap((part) => translation.read(part));
      return DIALECTS[options.dialect].whole.fromParts([...parts, ...translation.end()]);
    });
  return retry(attempt, signal, retriesFor(options.retries, asking.client, 'whole'));
}

/**
 * A model's parts in the dialect. Nothing is written before there is content, so that an earlier error can still be answered with its
 * status.
 */
function createTranslation<D extends DialectName>(asking: Asking<D>, request: RequestOf<D>) {
  const { options, target } = asking;
  const { model, createId = () => crypto.randomUUID().replaceAll('-', '') } = options;
  const serialiser = createPartSerialiser();
  const { codec } = DIALECTS[options.dialect];
  const told = codec.showsExecuted?.(target) === true ? (event: BlockEvent) => [event] : tellExecuted();
  let metadata: { readonly id?: string; readonly modelId?: string } = {};
  let finish: Finish | undefined;
  const writer = once(() =>
    codec.writer(request, {
      target,
      id: idFor(options.dialect, metadata.id) ?? createId(),
      model: metadata.modelId || request.model || model.modelId,
      createdMs: clockOf(options).now(),
    }),
  );
  return {
    read(part: LanguageModelV4StreamPart): readonly PartOf<D>[] {
      if (part.type === 'error') throw modelError(part.error, model.provider, errorReading(options));
      if (part.type === 'response-metadata') metadata = { ...metadata, ...part };
      if (part.type === 'finish') finish = { usage: part.usage, reason: part.finishReason };
      return serialiser
        .read(part)
        .flatMap(told)
        .flatMap((event) => writer().write(event));
    },
    end(): readonly PartOf<D>[] {
      const events = serialiser
        .end()
        .flatMap(told)
        .flatMap((event) => writer().write(event));
      if (finish === undefined || UNFINISHED.has(finish.reason.unified)) {
        const message = `${model.provider} ended its stream before the response was complete`;
        throw new UpstreamError({ code: 'cut_off', message });
      }
      return [...events, ...writer().finish(finish)];
    },
  };
}

/** The provider's own id, where the dialect's clients can work with it. */
function idFor(dialect: DialectName, id: string | undefined): string | undefined {
  if (id === undefined || id === '') return undefined;
  return DIALECTS[dialect].codec.isUsableId?.(id) === false ? undefined : id;
}

/** The providers' finish reasons of an incomplete response: a call in it may be cut off. */
const UNFINISHED: ReadonlySet<string> = new Set(['error', 'interrupted']);

/** The values of a stream. A stream that ignores the signal is abandoned once that aborts. */
async function* readParts<Part>(
  stream: ReadableStream<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part, void, undefined> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  let isDone = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    if (!isDone) cancel();
    reader.releaseLock();
  }
}

/** One call to a model, for a deadline. */
function stepOf<D extends DialectName>({ options }: Asking<D>, request: object, signal: AbortSignal): Step {
  const clock = clockOf(options);
  return {
    clock,
    signal,
    explain(error) {
      // If the request is too deeply nested to be written, it is the cause; otherwise the provider's answer is.
      if (isTooDeep(error)) writeBody(request);
      return modelError(error, options.model.provider, errorReading(options));
    },
  };
}

function errorReading<D extends DialectName>(options: ModelUpstreamOptions<D>): Parameters<typeof modelError>[2] {
  return { clock: clockOf(options), sent: options.sent ?? new Headers() };
}

function clockOf<D extends DialectName>(options: ModelUpstreamOptions<D>): Clock {
  return options.retries?.clock ?? SYSTEM_CLOCK;
}
