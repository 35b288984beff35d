import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface UpstreamCall {
  /** The key that came with it. */
  readonly replica: string;
  /** The text of the request's first message. */
  readonly item: string;
  /** How many searches the request has the results of. */
  readonly round: number;
}

export interface CountingUpstream {
  readonly url: string;
  /** In the order of their arrival. */
  readonly calls: readonly UpstreamCall[];
  stop(): Promise<void>;
}

/** How many times an item is searched for before it is answered: those whose number can be divided by three, twice. */
export function searchesOf(item: string): number {
  return Number(item.split('-')[1]) % 3 === 0 ? 2 : 0;
}

/** What becomes of a call: it is answered, or never. */
export type CallFate = 'answer' | 'hold';

export interface CountingUpstreamOptions {
  /** A call has come in; `own` counts those of its replica. @default every one is answered */
  readonly onCall: (call: UpstreamCall, own: number) => CallFate;
  /** An answer is on its way. */
  readonly onAnswer: (call: UpstreamCall, own: number) => void;
}

/** A host of the Messages API that knows who asked what, and how often. */
export async function countingUpstream({ onCall, onAnswer }: CountingUpstreamOptions): Promise<CountingUpstream> {
  const calls: UpstreamCall[] = [];
  const answers: UpstreamCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { messages: readonly UpstreamMessage[] };
    const call: UpstreamCall = {
      replica: String(request.headers['x-api-key']),
      item: String(body.messages[0]?.content ?? ''),
      round: body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)).filter(isResult)
        .length,
    };
    const ownOf = (all: readonly UpstreamCall[]): number =>
      all.filter(({ replica }) => replica === call.replica).length;
    calls.push(call);
    if (onCall(call, ownOf(calls)) === 'hold') return;
    answers.push(call);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answerTo(call), () => onAnswer(call, ownOf(answers)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface UpstreamMessage {
  readonly content: string | readonly { readonly type: string }[];
}

function isResult({ type }: { readonly type: string }): boolean {
  return type === 'tool_result';
}

function answerTo({ item, replica, round }: UpstreamCall): string {
  const isSearch = round < searchesOf(item);
  const text = { type: 'text', text: `${item} round ${round} by ${replica}` };
  const search = { type: 'tool_use', id: `toolu_${round}`, name: 'tool_search_tool_bm25', input: { query: 'weather' } };
  return JSON.stringify({
    ...{ id: `msg_${item}_${round}_${replica}`, type: 'message', role: 'assistant', model: 'claude-test' },
    content: isSearch ? [text, search] : [text],
    stop_reason: isSearch ? 'tool_use' : 'end_turn',
    ...{ stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5 } },
  });
}
