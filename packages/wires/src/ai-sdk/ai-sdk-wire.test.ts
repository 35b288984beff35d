import { describeWire } from '@quartermaster/core/fixtures';
import { defined } from '@quartermaster/core/internal';
import { LOCAL_FORMS } from '@quartermaster/core/testing';
import { aiSdkWire } from './ai-sdk-wire.ts';
import type { AssistantPart, ModelMessage, ModelPart, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { modelWhole } from './whole.ts';

type Sample = Parameters<typeof describeWire<ModelRequest, ModelPart>>[0];
type ScriptedRound = Parameters<Sample['round']>[0];
type SeenMessage = ReturnType<Sample['seen']>['messages'][number];

const REASONS = { done: 'stop', calls: 'tool-calls', cut: 'length' } as const;

/** Texts count from 0 in each round, as most providers do; a call's input comes in two pieces before the call itself. */
function round(script: ScriptedRound): readonly ModelPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'response', modelId: 'model' },
    ...script.items.flatMap((item, index): ModelPart[] => {
      const id = String(index);
      if (item.kind === 'text') {
        return [
          { type: 'text-start', id },
          { type: 'text-delta', id, delta: item.text },
          { type: 'text-end', id },
        ];
      }
      const middle = Math.floor(item.json.length / 2);
      const isWhole = item.json.endsWith('}');
      return [
        { type: 'tool-input-start', id: item.id, toolName: item.name },
        { type: 'tool-input-delta', id: item.id, delta: item.json.slice(0, middle) },
        { type: 'tool-input-delta', id: item.id, delta: item.json.slice(middle) },
        ...(isWhole ? [{ type: 'tool-input-end' as const, id: item.id }] : []),
        ...(isWhole
          ? [{ type: 'tool-call' as const, toolCallId: item.id, toolName: item.name, input: item.json }]
          : []),
      ];
    }),
    {
      type: 'finish',
      finishReason: { unified: REASONS[script.ending], raw: undefined },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 5, text: 5, reasoning: undefined },
      },
    },
  ];
}

/** What `ai` makes of a response: the assistant's message, with the provider's results in it. */
function assistantContent(parts: readonly ModelPart[]): AssistantPart[] {
  return modelWhole.fromParts(parts).content.flatMap((part): AssistantPart[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ type: 'text', text: part.text }];
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
        return [
          {
            type: 'tool-call',
            toolCallId,
            toolName,
            input: JSON.parse(input),
            ...defined({ providerExecuted, providerOptions: providerMetadata }),
          },
        ];
      }
      case 'tool-result': {
        const { toolCallId, toolName, result: value, providerMetadata } = part;
        const output = { type: 'json' as const, value };
        return [
          {
            type: 'tool-result',
            toolCallId,
            toolName,
            output,
            ...defined({ providerOptions: providerMetadata }),
          },
        ];
      }
      default:
        return [];
    }
  });
}

function seenMessage(message: ModelMessage): SeenMessage {
  if (message.role === 'system') return { role: 'other', text: message.content, calls: [], answers: [] };
  const parts: readonly (AssistantPart | { type: string })[] = message.content;
  const texts = parts.flatMap((part) => {
    if ('text' in part) return [part.text];
    return 'output' in part ? [JSON.stringify(part.output)] : [];
  });
  return {
    role: message.role,
    text: texts.join(''),
    calls: parts.flatMap((part) => ('input' in part ? [part.toolCallId] : [])),
    answers: parts.flatMap((part) => ('output' in part ? [part.toolCallId] : [])),
  };
}

describeWire<ModelRequest, ModelPart>({
  wire: aiSdkWire,
  forms: LOCAL_FORMS,
  showsSearches: true,
  showsEverything: true,
  endings: { done: 'stop', calls: 'tool-calls', pause: 'other', cut: 'length' },
  request: ({ text, tools, unknown }) => ({
    prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: schema as object,
    })),
    providerOptions: { future: { field: unknown } },
  }),
  round,
  received(parts) {
    const finish = parts.findLast((part) => part.type === 'finish');
    const { content } = modelWhole.fromParts(parts);
    return {
      text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      calls: content.flatMap((part) =>
        part.type === 'tool-call' && part.providerExecuted !== true
          ? [{ id: part.toolCallId, name: part.toolName, arguments: JSON.parse(part.input) }]
          : [],
      ),
      order: content
        .map((part) => {
          if (part.type === 'text') return part.text;
          return part.type === 'tool-call' && part.providerExecuted !== true ? `<${part.toolName}>` : '';
        })
        .join(''),
      ending: finish?.finishReason.unified ?? 'none',
      openings: parts.filter((part) => part.type === 'stream-start').length,
      closings: parts.filter((part) => part.type === 'finish').length,
    };
  },
  next(request, parts, reply) {
    const content = assistantContent(parts);
    const results = [...reply.results].map(([toolCallId, value]) => {
      const call = content.find((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
      const toolName = call?.type === 'tool-call' ? call.toolName : '';
      return { type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value } };
    });
    return {
      ...request,
      prompt: [
        ...request.prompt,
        { role: 'assistant', content },
        ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
        ...(reply.text === undefined
          ? []
          : [{ role: 'user' as const, content: [{ type: 'text' as const, text: reply.text }] }]),
      ],
    };
  },
  messages: (request) => request.prompt,
  withMessages: (request, messages) => ({ ...request, prompt: messages as never }),
  seen: (request) => {
    const first = request.prompt.findIndex((message) => message.role !== 'system');
    return {
      prefix: JSON.stringify([request.prompt.slice(0, first), request.tools]),
      tools: (request.tools ?? []).map((tool) => tool.name),
      messages: request.prompt.slice(first).map(seenMessage),
    };
  },
  whole: modelWhole as NonNullable<Sample['whole']>,
});
