import { describeWire } from '@quartermaster/core/fixtures';
import { LOCAL_FORMS } from '@quartermaster/core/testing';
import type { GeminiContent, GeminiPart, GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { createGeminiWire } from './gemini-wire.ts';
import { geminiWhole } from './whole.ts';

type Sample = Parameters<typeof describeWire<GeminiRequest, GeminiResponse>>[0];
type ScriptedRound = Parameters<Sample['round']>[0];
type SeenMessage = ReturnType<Sample['seen']>['messages'][number];

const REASONS = { done: 'STOP', calls: 'STOP', cut: 'MAX_TOKENS' } as const;

/** Text in two chunks. A call is one part; one that is cut arrives in pieces, of which the last is missing. */
function round(script: ScriptedRound): readonly GeminiResponse[] {
  const chunks = script.items.flatMap((item): GeminiPart[] => {
    if (item.kind === 'text') return [item.text.slice(0, 3), item.text.slice(3)].map((text) => ({ text }));
    const args = parse(item.json);
    if (args !== undefined) return [{ functionCall: { id: item.id, name: item.name, args } }];
    const partialArgs = [{ jsonPath: '$.query', stringValue: 'iss', willContinue: true }];
    return [
      { functionCall: { id: item.id, name: item.name, willContinue: true } },
      { functionCall: { partialArgs, willContinue: true } },
    ];
  });
  return chunks.map((part, index) => ({
    candidates: [
      {
        content: { parts: [part], role: 'model' },
        ...(index === chunks.length - 1 ? { finishReason: REASONS[script.ending] } : {}),
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: index + 1, totalTokenCount: 11 + index },
    modelVersion: 'gemini-test',
    responseId: 'response',
  }));
}

function parse(json: string): GeminiRequest['generationConfig'] {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function partsIn(chunks: readonly GeminiResponse[]): readonly GeminiPart[] {
  return chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
}

function seenMessage(content: GeminiContent): SeenMessage {
  const parts = content.parts ?? [];
  const answers = parts.flatMap((part) => (part.functionResponse === undefined ? [] : [part.functionResponse]));
  return {
    role: content.role === 'model' ? 'assistant' : answers.length > 0 ? 'tool' : 'user',
    text: parts.map((part) => part.text ?? JSON.stringify(part.functionResponse?.response ?? '')).join(''),
    calls: parts.flatMap((part) => part.functionCall?.id ?? []),
    answers: answers.flatMap(({ id }) => id ?? []),
  };
}

function sample(showSearches: boolean): Sample {
  return {
    wire: createGeminiWire({ showSearches }),
    forms: LOCAL_FORMS,
    showsSearches: showSearches,
    showsEverything: showSearches,
    endings: { done: 'STOP', calls: 'STOP', pause: 'TOO_MANY_TOOL_CALLS', cut: 'MAX_TOKENS' },
    request: ({ text, tools, unknown }) => ({
      contents: [{ parts: [{ text }], role: 'user' }],
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema }) => ({
            name,
            description,
            parametersJsonSchema: schema,
          })),
        },
      ],
      futureField: unknown,
    }),
    round,
    received(chunks) {
      const finished = chunks.flatMap((chunk) => chunk.candidates?.[0]?.finishReason ?? []);
      return {
        text: partsIn(chunks)
          .map((part) => part.text ?? '')
          .join(''),
        calls: partsIn(chunks).flatMap(({ functionCall }) =>
          functionCall === undefined
            ? []
            : [{ id: functionCall.id ?? '', name: functionCall.name ?? '', arguments: functionCall.args }],
        ),
        order: partsIn(chunks)
          .map(({ text, functionCall }) => text ?? (functionCall === undefined ? '' : `<${functionCall.name}>`))
          .join(''),
        ending: finished.at(-1) ?? 'none',
        // Nothing opens a response of this API but its first chunk.
        openings: chunks.length > 0 ? 1 : 0,
        closings: finished.length,
      };
    },
    next(request, chunks, reply) {
      const parts = partsIn(chunks);
      const results = [...reply.results].map(([id, output]): GeminiPart => {
        const name = parts.find(({ functionCall }) => functionCall?.id === id)?.functionCall?.name ?? '';
        return { functionResponse: { id, name, response: { output } } };
      });
      const texts = reply.text === undefined ? [] : [{ text: reply.text }];
      const contents = [
        { parts: results, role: 'user' },
        { parts: texts, role: 'user' },
      ];
      return {
        ...request,
        contents: [
          ...request.contents,
          // In the order in which the SDK writes them.
          { parts, role: 'model' },
          ...contents.filter(({ parts: some }) => some.length > 0),
        ],
      };
    },
    messages: (request) => request.contents,
    withMessages: (request, messages) => ({ ...request, contents: messages as never }),
    seen: (request) => ({
      prefix: JSON.stringify([request.systemInstruction, request.tools]),
      tools: (request.tools ?? []).flatMap((tool) =>
        (tool.functionDeclarations as { name: string }[]).map((declaration) => declaration.name),
      ),
      messages: request.contents.map(seenMessage),
    }),
    whole: geminiWhole as NonNullable<Sample['whole']>,
  };
}

describeWire(sample(true));
describeWire(sample(false));
