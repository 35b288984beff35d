import { ApiFailure } from '@quartermaster/client';
import { child, isObject, readJson } from '../shell/read-json.ts';
import { apiKeyHeader } from './gateway.ts';

/** The name of the mock model, which a gateway without settings has. */
export const MOCK_MODEL = 'rehearsal';

/** One call of a tool, and the requests behind it. */
export interface ToolRun {
  /** Requests in the order in which they were made, by the ids that Activity knows them by. */
  readonly requests: readonly string[];
  /** What was searched for and what was found, where a model searched. */
  readonly search?: { readonly query: string; readonly found: readonly string[] };
  readonly call?: { readonly name: string; readonly input: unknown };
  readonly result?: { readonly text: string; readonly isError: boolean };
  /** What the model said last. */
  readonly answer?: string;
}

/** Calls a tool of an MCP server through the gateway, as an MCP client does. */
export async function callServerTool(name: string, input: unknown): Promise<ToolRun> {
  const params = { name, arguments: input };
  const { id, text } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const message = readMessage(text);
  const error = child(message, 'error');
  const result = child(message, 'result');
  const parts = child(result, 'content');
  const shown = Array.isArray(parts) ? parts.map(showPart).join('\n') : JSON.stringify(result, undefined, 2);
  return {
    requests: [id],
    call: { name, input },
    result:
      error === undefined
        ? { text: shown, isError: child(result, 'isError') === true }
        : { text: String(child(error, 'message')), isError: true },
  };
}

/**
 * Asks the mock model, which searches and calls what it finds. The tools of a stored catalog are executed by the client: here that is
 * this page, which has nothing but an example to answer with.
 */
export async function askMockModel(catalog: string, query: string): Promise<ToolRun> {
  const question = { role: 'user', content: query };
  const first = await post('/v1/messages', messageBody(catalog, [question]));
  const content = parts(JSON.parse(first.text));
  const searched = content.find(({ type }) => type === 'server_tool_use');
  const found = content
    .filter(({ type }) => type === 'tool_search_tool_result')
    .flatMap(({ content: result }) => list(child(result, 'tool_references')))
    .map((reference) => String(child(reference, 'tool_name')));
  const search = {
    ...(searched === undefined ? {} : { search: { query: String(child(searched.input, 'query')), found } }),
  };
  const call = content.find(({ type }) => type === 'tool_use');
  if (call === undefined) return { requests: [first.id], ...search, answer: lastText(content) };
  const text = JSON.stringify({ example: true, tool: call.name, received: call.input }, undefined, 2);
  const result = { type: 'tool_result', tool_use_id: call.id, content: text };
  const second = await post(
    '/v1/messages',
    messageBody(catalog, [question, { role: 'assistant', content }, { role: 'user', content: [result] }]),
  );
  return {
    requests: [first.id, second.id],
    ...search,
    call: { name: String(call.name), input: call.input },
    result: { text, isError: false },
    answer: lastText(parts(JSON.parse(second.text))),
  };
}

function messageBody(catalog: string, messages: readonly object[]): object {
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const tools = [search, { type: 'quartermaster_catalog', name: catalog, defer_loading: true }];
  return { model: MOCK_MODEL, max_tokens: 1024, tools, messages };
}

type Part = Readonly<Record<string, unknown>>;

function parts(message: unknown): readonly Part[] {
  return list(child(message, 'content')).filter(isObject);
}

function lastText(content: readonly Part[]): string {
  return String(content.findLast(({ type }) => type === 'text')?.text ?? '');
}

function showPart(part: unknown): string {
  const text = child(part, 'text');
  return typeof text === 'string' ? text : JSON.stringify(part, undefined, 2);
}

async function post(path: string, body: object): Promise<{ readonly id: string; readonly text: string }> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'anthropic-version': '2023-06-01',
        ...apiKeyHeader(),
      },
      body: JSON.stringify(body),
    });
  } catch (cause) {
    throw new ApiFailure(0, 'The gateway could not be reached', { cause });
  }
  const text = await response.text();
  if (response.ok) return { id: response.headers.get('request-id') ?? '', text };
  const message = child(child(readJson(text), 'error'), 'message');
  throw new ApiFailure(
    response.status,
    typeof message === 'string' ? message : `The gateway answered ${response.status}`,
  );
}

/** The last message of an answer, which is JSON or a stream of events. */
function readMessage(text: string): unknown {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
  return readJson(events.at(-1) ?? text);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
