import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GeminiCandidate, GeminiPart, GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';

/** What the scripted server answers to one request: chunks, which make one response where none are streamed, or a failure. */
export type GeminiAnswer = readonly GeminiResponse[] | { readonly status: number; readonly body: object };

export interface GeminiServer {
  readonly baseUrl: string;
  /** Bodies as they came in, in order. */
  readonly requests: GeminiRequest[];
  readonly paths: string[];
  close(): Promise<void>;
}

/** A local server that speaks the Gemini API from a script. */
export async function startGeminiServer(script: readonly GeminiAnswer[]): Promise<GeminiServer> {
  const requests: GeminiRequest[] = [];
  const paths: string[] = [];
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then((body) => {
      const answer = script[requests.length] ?? {
        status: 500,
        body: { error: { code: 500, message: 'End of script' } },
      };
      requests.push(JSON.parse(body));
      paths.push(incoming.url ?? '');
      if ('status' in answer) {
        outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      } else if (incoming.url?.includes(':streamGenerateContent')) {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const chunk of answer) outgoing.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
        outgoing.end();
      } else {
        outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer[0]));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    paths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}

/** One chunk of a candidate, the last of its round unless said otherwise. */
export function chunk(
  parts: readonly GeminiPart[],
  more: Partial<GeminiCandidate> & { readonly tokens?: number } = {},
): GeminiResponse {
  const { tokens = 10, ...candidate } = more;
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...candidate }],
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount: tokens,
      totalTokenCount: 100 + tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
    },
    modelVersion: 'gemini-test',
    responseId: `response-${tokens}`,
  };
}
