/** An answer of the gateway that is not a success. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The HTTP status; 0 when the gateway could not be reached. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Kept in memory only: closing the tab forgets it. */
let apiKey: string | undefined;

export function rememberKey(key: string): void {
  apiKey = key;
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks the gateway that serves this page, and nothing else. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', body, signal } = options;
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (apiKey !== undefined) headers['x-api-key'] = apiKey;
  const response = await send(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok)
    throw new ApiFailure(response.status, messageOf(answer) ?? `The gateway answered ${response.status}`);
  return answer as Answer;
}

/** Server-sent events. `EventSource` can't send a key, so they are read by hand. */
export async function* stream(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const response = await send(path, { headers, signal });
  if (!response.ok || response.body === null) throw new ApiFailure(response.status, 'The gateway sends no live events');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data };
    }
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiFailure(0, 'Lost the gateway. Is it still running?');
  }
}

function messageOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  const { error } = answer;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  return typeof error.message === 'string' ? error.message : undefined;
}
