import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicWhole, writeNamedEvent } from '@quartermaster/wires/anthropic';
import { type ChatChunk, chatWhole } from '@quartermaster/wires/openai-chat';
import { onTestFinished } from 'vitest';
import { type Block, message } from './scripted-upstream.fixture.ts';

/** What a scripted model says in one turn. */
export type Turn = { readonly text: string } | { readonly call: string; readonly input: unknown };

/** What a scripted model sees of a request, in any dialect. */
export interface Scene {
  readonly tools: readonly string[];
  /** The results of tools in the history, as text. */
  readonly results: readonly string[];
  /** How many requests came before. */
  readonly turn: number;
}

export interface ScriptedHost {
  readonly url: string;
  readonly requests: readonly HostRequest[];
  /** The bodies as they came. */
  readonly bodies: readonly string[];
}

export interface HostRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: HostBody;
}

export interface HostBody {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A host on this machine that does with each request as it is told. */
export async function rawHost(
  answer: (request: HostRequest, response: ServerResponse, turn: number) => unknown,
): Promise<ScriptedHost> {
  const requests: HostRequest[] = [];
  const bodies: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    bodies.push(text);
    const body = JSON.parse(text) as HostBody;
    const request = { path: incoming.url ?? '', headers: incoming.headers, body };
    requests.push(request);
    await answer(request, response, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, bodies };
}

/** A host with a model that follows a script, streaming or not, as it is asked. */
export function scriptedHost(
  dialect: 'anthropic' | 'openai-chat',
  decide: (scene: Scene) => Turn | Promise<Turn>,
): Promise<ScriptedHost> {
  return rawHost(async ({ path, body }, response, turn) => {
    if (path.includes('count_tokens')) return response.end(JSON.stringify({ input_tokens: COUNTED_TOKENS }));
    const said = await decide({ tools: namesIn(body), results: resultsIn(body), turn });
    const isStream = body.stream === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    return response.end(WRITERS[dialect](said, { isStream, id: `call_${turn}` }));
  });
}

/** What it counts, whatever it is asked to count. */
export const COUNTED_TOKENS = 50_000;

interface Answer {
  readonly isStream: boolean;
  readonly id: string;
}

const WRITERS = { anthropic: writeMessage, 'openai-chat': writeCompletion };

function writeMessage(turn: Turn, { isStream, id }: Answer): string {
  const block: Block = 'text' in turn ? turn : { call: turn.call, id: `toolu_${id}`, input: turn.input };
  // Clients take messages of one id for parts of one message.
  const events = message([block], 'text' in turn ? 'end_turn' : 'tool_use').map((event) =>
    event.type === 'message_start' ? { ...event, message: { ...event.message, id: `msg_${id}` } } : event,
  );
  return isStream ? events.map(writeNamedEvent).join('') : JSON.stringify(anthropicWhole.fromParts(events));
}

function writeCompletion(turn: Turn, { isStream, id }: Answer): string {
  // Some hosts give every response the same id.
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  const delta =
    'text' in turn
      ? { role: 'assistant', content: turn.text }
      : { role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: functionOf(turn) }] };
  const parts: readonly ChatChunk[] = [
    { ...frame, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...frame, choices: [{ index: 0, delta: {}, finish_reason: 'text' in turn ? 'stop' : 'tool_calls' }] },
    { ...frame, choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  ];
  if (!isStream) return JSON.stringify(chatWhole.fromParts(parts));
  return `${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`;
}

function functionOf({ call, input }: { readonly call: string; readonly input: unknown }): object {
  return { name: call, arguments: JSON.stringify(input) };
}

function namesIn({ tools = [] }: HostBody): readonly string[] {
  return tools.map((tool) => tool.name ?? tool.function?.name ?? '');
}

function resultsIn({ messages }: HostBody): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'tool') return [textOf(content)];
    if (!Array.isArray(content)) return [];
    return content.filter(isResult).map((block) => textOf(block.content));
  });
}

function isResult(block: unknown): block is { readonly content: unknown } {
  return (block as { type?: unknown }).type === 'tool_result';
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
