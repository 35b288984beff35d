// A server that has what the scenarios of the conformance suite ask for, on the older SDK and with sessions.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as schemas from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { listen } from '../listen.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const resource = (uri, value) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: value } });
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });
const string = { type: 'string' };

/** A tool that asks the client's user, and says what the answer was. */
const asking = (describe, requestedSchema) => async (args, extra) => {
  const params = { message: args.message ?? describe, requestedSchema };
  const answer = await extra.sendRequest({ method: 'elicitation/create', params }, schemas.ElicitResultSchema);
  return [text(`User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)];
};

const choices = (kind, titles) => titles.map((title, at) => ({ const: `${kind}${at + 1}`, title }));
const options = ['option1', 'option2', 'option3'];
const many = (items) => ({ type: 'array', minItems: 1, maxItems: 3, items });

const TOOLS = {
  test_simple_text: { run: () => [text('This is a simple text response for testing.')] },
  test_image_content: { run: () => [image] },
  test_audio_content: { run: () => [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    run: () => [resource('test://embedded-resource', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    run: () => [text('Several kinds of content:'), image, resource('test://mixed-content-resource', '{"test":"data"}')],
  },
  test_tool_with_logging: {
    run: async (_, extra) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      return [text('done')];
    },
  },
  test_tool_with_progress: {
    run: async (_, extra) => {
      const progressToken = extra._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100])
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      return [text(String(progressToken))];
    },
  },
  test_reconnection: {
    run: async (_, extra) => {
      extra.closeSSEStream?.();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return [text('Answered after the stream was closed')];
    },
  },
  test_error_handling: {
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: string }, ['prompt']),
    run: async ({ prompt }, extra) => {
      const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
      const request = { method: 'sampling/createMessage', params };
      const { content } = await extra.sendRequest(request, schemas.CreateMessageResultSchema);
      return [text(`LLM response: ${content.text}`)];
    },
  },
  test_elicitation: {
    inputSchema: object({ message: string }, ['message']),
    run: asking('Please answer', object({ response: { ...string, description: 'The answer' } }, ['response'])),
  },
  test_elicitation_sep1034_defaults: {
    run: asking(
      'Please look at the defaults',
      object({
        name: { ...string, default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
    ),
  },
  test_elicitation_sep1330_enums: {
    run: asking(
      'Please choose',
      object({
        untitledSingle: { ...string, enum: options },
        titledSingle: { ...string, oneOf: choices('value', ['First', 'Second', 'Third']) },
        legacyEnum: { ...string, enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: many({ ...string, enum: options }),
        titledMulti: many({ anyOf: choices('value', ['First', 'Second', 'Third']) }),
      }),
    ),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
      properties: {
        ...{ name: string, address: { $ref: '#/$defs/address' }, phone: string, email: string },
        contactMethod: { ...string, enum: ['phone', 'email'] },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (args) => [text(JSON.stringify(args))],
  },
};

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

const user = (content) => ({ role: 'user', content });
const argument = (name) => ({ name, required: true });
const PROMPTS = {
  test_simple_prompt: { get: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument('resourceUri')],
    get: ({ resourceUri }) => [user(resource(resourceUri, 'Embedded.')), user(text('Please read the resource above.'))],
  },
  test_prompt_with_image: { get: () => [user(image), user(text('Please look at the image above.'))] },
};

function createInstance() {
  const capabilities = {
    ...{ tools: { listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {} },
    resources: { subscribe: true, listChanged: true },
  };
  const server = new Server({ name: 'conformance-backend', version: '1.0.0' }, { capabilities });
  const handle = (schema, answer) => server.setRequestHandler(schema, answer);
  handle(schemas.ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { inputSchema = object() }]) => ({
      ...{ name, description: `The tool ${name.replaceAll('_', ' ')}`, inputSchema },
    })),
  }));
  handle(schemas.CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS[params.name];
    if (tool === undefined) throw new schemas.McpError(-32602, `Unknown tool: ${params.name}`);
    try {
      return { content: await tool.run(params.arguments ?? {}, extra) };
    } catch (error) {
      return { isError: true, content: [text(error.message)] };
    }
  });
  handle(schemas.ListResourcesRequestSchema, () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, description: uri, mimeType })),
  }));
  handle(schemas.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  handle(schemas.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    const templated = {
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
    const found = id === undefined ? RESOURCES[uri] : templated;
    if (found === undefined) throw new schemas.McpError(-32002, `Resource not found: ${uri}`, { uri });
    return { contents: [{ uri, ...found }] };
  });
  handle(schemas.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: name,
      arguments: prompt.arguments,
    })),
  }));
  handle(schemas.GetPromptRequestSchema, ({ params }) => {
    const prompt = PROMPTS[params.name];
    if (prompt === undefined) throw new schemas.McpError(-32602, `Unknown prompt: ${params.name}`);
    return { messages: prompt.get(params.arguments ?? {}) };
  });
  handle(schemas.CompleteRequestSchema, () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])
    handle(z.looseObject({ method: z.literal(method) }), () => ({}));
  return server;
}

/** Everything that was sent, so that a stream can be taken up again. */
function createEventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message })),
    async replayEventsAfter(last, { send }) {
      const { stream } = events[Number(last) - 1];
      for (const [at, event] of events.entries())
        if (at >= Number(last) && event.stream === stream && event.message.jsonrpc !== undefined)
          await send(String(at + 1), event.message);
      return stream;
    },
  };
}

/** Listens on a free port of this machine. */
export async function startServer() {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const { host = '', origin } = request.headers;
    const isLocal = [`http://${host}`, origin ?? `http://${host}`].every((url) => LOCAL.test(new URL(url).hostname));
    if (!isLocal) return response.writeHead(403).end();
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (transport === undefined) {
      if (id !== undefined) return response.writeHead(404).end();
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: createEventStore(),
        retryInterval: 100,
        onsessioninitialized: (given) => void sessions.set(given, transport),
        onsessionclosed: (given) => void sessions.delete(given),
      });
      await createInstance().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  return {
    url: `http://127.0.0.1:${await listen(http)}/mcp`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;
