import { isJsonObject, type LoopOptions, runLoop, runWhole, type Upstream } from '@quartermaster/core';
import { readEvents, writeEvent } from '../internal/server-sent-events.ts';
import type { GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { geminiWhole } from './whole.ts';

export type SearchLoop = Omit<LoopOptions<GeminiRequest, GeminiResponse>, 'upstream'>;

/** Sends one rendered request. */
export type Ask = (request: GeminiRequest, signal: AbortSignal) => Promise<Response>;

/** An answer of the upstream's that is no success: handed to the client as it came. */
class Refusal extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(`The upstream answered with status ${response.status}`);
    this.response = response;
  }
}

/** An error in the middle of a stream, as the upstream wrote it. */
class BrokenStream extends Error {
  readonly chunk: unknown;

  constructor(chunk: unknown) {
    super('The upstream broke off its stream with an error');
    this.chunk = chunk;
  }
}

export async function respondWhole(loop: SearchLoop, ask: Ask): Promise<Response> {
  let headers = new Headers();
  try {
    const response = await runWhole({
      ...loop,
      whole: geminiWhole,
      async upstream(request, signal) {
        const answer = await ask(request, signal);
        if (!answer.ok) throw new Refusal(answer);
        headers = headersOf(answer);
        return (await answer.json()) as GeminiResponse;
      },
    });
    return new Response(JSON.stringify(response), { headers });
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

/** Answers once the first chunk is there: an error before it keeps its status, and the SDK can try again. */
export async function respondStream(loop: SearchLoop, ask: Ask): Promise<Response> {
  let headers = new Headers();
  const upstream: Upstream<GeminiRequest, GeminiResponse> = async function* (request, signal) {
    const answer = await ask(request, signal);
    if (!answer.ok) throw new Refusal(answer);
    headers = headersOf(answer);
    if (answer.body === null) return;
    for await (const data of readEvents(answer.body)) {
      const chunk: unknown = JSON.parse(data);
      if (isJsonObject(chunk) && isJsonObject(chunk.error)) throw new BrokenStream(chunk);
      yield chunk as GeminiResponse;
    }
  };
  const chunks = runLoop({ ...loop, upstream });
  let next = settled(chunks.next());
  const first = await next;
  if (first.kind === 'failed' && first.error instanceof Refusal) return first.error.response;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const result = await next;
      if (result.kind === 'failed') {
        const chunk = await errorChunk(result.error);
        if (chunk === undefined) return controller.error(result.error);
        controller.enqueue(encoder.encode(writeEvent(JSON.stringify(chunk))));
        return controller.close();
      }
      if (result.done) return controller.close();
      next = settled(chunks.next());
      controller.enqueue(encoder.encode(writeEvent(JSON.stringify(result.value))));
    },
    async cancel() {
      await chunks.return?.();
    },
  });
  return new Response(body, { headers });
}

type Settled =
  | { readonly kind: 'read'; readonly done: boolean; readonly value: GeminiResponse | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

function settled(promise: Promise<IteratorResult<GeminiResponse>>): Promise<Settled> {
  return promise.then(
    (result): Settled => ({ kind: 'read', done: result.done === true, value: result.value }),
    (error: unknown): Settled => ({ kind: 'failed', error }),
  );
}

/** How the API tells of an error once a stream has begun. Undefined for what did not come from it. */
async function errorChunk(error: unknown): Promise<unknown> {
  if (error instanceof BrokenStream) return error.chunk;
  if (!(error instanceof Refusal)) return undefined;
  const { status, statusText } = error.response;
  const text = await error.response.text();
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && isJsonObject(value.error)) return value;
  } catch {
    // Not JSON: a proxy's page, told as text.
  }
  return { error: { code: status, status: statusText, message: text } };
}

/** The body is ours, so its length and encoding are not the upstream's. */
function headersOf(response: Response): Headers {
  const headers = new Headers(response.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name);
  return headers;
}
