import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Whole } from '@quartermaster/core/loop';

/** What the host answers with: a response as its parts, or a refusal. */
export type ScriptedAnswer<Part> =
  | readonly Part[]
  | { readonly status: number; readonly body: object; readonly headers?: Record<string, string> };

export interface ScriptedHost {
  readonly url: string;
  /** The bodies that arrived, in order, parsed and as they were. */
  readonly requests: readonly unknown[];
  readonly texts: readonly string[];
  close(): Promise<void>;
}

/** An API on this machine that answers from a script, streaming or not, as it is asked. */
export async function scriptedHost<Part>(
  answers: readonly ScriptedAnswer<Part>[],
  dialect: { readonly whole: Whole<unknown, Part>; readonly write: (part: Part) => string; readonly end: string },
): Promise<ScriptedHost> {
  const requests: unknown[] = [];
  const texts: string[] = [];
  const server = createServer((message, response) => {
    void readText(message).then((text) => {
      const request = JSON.parse(text === '' ? '{}' : text) as { readonly stream?: boolean };
      const scripted = answers[requests.length] ?? { status: 400, body: failure('The script is over') };
      requests.push(request);
      texts.push(text);
      answer(response, { scripted, isStream: request.stream === true, ...dialect });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    texts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function failure(message: string, type = 'invalid_request_error'): object {
  return { error: { message, type, code: null, param: null } };
}

function answer<Part>(
  response: ServerResponse,
  options: {
    scripted: ScriptedAnswer<Part>;
    isStream: boolean;
    whole: Whole<unknown, Part>;
    write: (part: Part) => string;
    end: string;
  },
): void {
  const { scripted, isStream, whole, write, end } = options;
  if (!isParts(scripted)) {
    response.writeHead(scripted.status, { 'content-type': 'application/json', ...scripted.headers });
    response.end(JSON.stringify(scripted.body));
  } else if (isStream) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
    response.end(scripted.map(write).join('') + end);
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
    response.end(JSON.stringify(whole.fromParts(scripted)));
  }
}

function isParts<Part>(scripted: ScriptedAnswer<Part>): scripted is readonly Part[] {
  return Array.isArray(scripted);
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
