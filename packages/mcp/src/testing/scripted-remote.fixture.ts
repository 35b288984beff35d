export interface RemoteMessage {
  readonly id?: number | string;
  readonly method?: string;
}

export type RemoteAnswer = (message: RemoteMessage) => Response | Promise<Response>;

export interface ScriptedRemote {
  /** The server as the network. */
  readonly fetch: typeof globalThis.fetch;
  /** The methods of what was posted, and `GET` for each stream that was asked for. */
  readonly asked: readonly string[];
}

/** A server of the older revision over HTTP with a tool `go`, whose answers are given by method; `GET` is its own stream. */
export function scriptedRemote(answers: Readonly<Record<string, RemoteAnswer>>): ScriptedRemote {
  const asked: string[] = [];
  return {
    asked,
    async fetch(input, init) {
      const request = new Request(input, init);
      const isPost = request.method === 'POST';
      const message = (isPost ? await request.json() : {}) as RemoteMessage;
      const method = isPost ? (message.method ?? '') : request.method;
      asked.push(method);
      const answer = answers[method] ?? USUAL[method];
      if (answer !== undefined) return answer(message);
      return message.id === undefined ? new Response(null, { status: 202 }) : jsonAnswer(message, NOT_FOUND);
    },
  };
}

/** The usual response to a request. */
export function jsonAnswer({ id }: RemoteMessage, more: object): Response {
  return Response.json({ jsonrpc: '2.0', id, ...more });
}

/** A response that is a stream of events, made of the given text. */
export function eventStream(chunks: Iterable<string>, end: 'close' | 'break' | 'stay' = 'close'): Response {
  const texts = chunks[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = texts.next();
      if (done !== true) controller.enqueue(encoder.encode(value));
      else if (end === 'close') controller.close();
      else if (end === 'break') controller.error(new TypeError('terminated'));
      else return new Promise(() => {});
      return undefined;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const NOT_FOUND = { error: { code: -32_601, message: 'Method not found' } };

const USUAL: Readonly<Record<string, RemoteAnswer>> = {
  GET: () => new Response(null, { status: 405 }),
  DELETE: () => new Response(null, { status: 200 }),
  initialize: (message) =>
    jsonAnswer(message, {
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'scripted', version: '1' },
      },
    }),
  'tools/list': (message) =>
    jsonAnswer(message, { result: { tools: [{ name: 'go', inputSchema: { type: 'object' } }] } }),
};
