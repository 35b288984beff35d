import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { UpstreamError } from '@quartermaster/core/errors';
import { DIALECTS, type DialectName, type DialectUpstream } from './dialect.ts';
import { SAMPLES } from './dialect-samples.fixture.ts';
import { createHttpUpstream } from './http/create-http-upstream.ts';
import { manualClock } from './manual-clock.fixture.ts';
import { createModelUpstream } from './model/create-model-upstream.ts';
import { finish, type ModelTurn, scriptedModel } from './model/scripted-model.fixture.ts';
import { scripted } from './scripted/scripted.ts';
import { eventChunks, type ServerTurn, startServer } from './scripted-server.fixture.ts';
import { describeUpstream, type Scenario } from './upstream-contract.fixture.ts';

const NAMES = Object.keys(DIALECTS) as DialectName[];
const RETRIES = { clock: manualClock({ instantBelowMs: 60_000 }) };
const REFUSAL: ServerTurn = {
  status: 429,
  body: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } },
};

function serverTurn<D extends DialectName>(dialect: D, scenario: Scenario): ServerTurn {
  const { parts, error } = SAMPLES[dialect];
  const isNamed = dialect !== 'openai-chat';
  const begun = eventChunks(parts.slice(0, 4), { isNamed });
  switch (scenario) {
    case 'answers':
      return { chunks: [...eventChunks(parts, { isNamed }), ...(isNamed ? [] : ['data: [DONE]\n\n'])] };
    case 'refuses':
      return REFUSAL;
    case 'breaks':
      return { chunks: [...begun, ...eventChunks([error], { isNamed })] };
    case 'hangs':
      return { chunks: begun, after: 'hang' };
  }
}

for (const dialect of NAMES) {
  describeUpstream({
    name: 'Pass-through',
    dialect,
    async make(scenario) {
      const server = await startServer([serverTurn(dialect, scenario)]);
      const baseUrl = dialect === 'anthropic' ? server.url : `${server.url}/v1`;
      const streaming = createHttpUpstream({ dialect, baseUrl, apiKey: 'key', retries: RETRIES });
      return { upstream: withWhole(streaming, dialect, scenario), stop: () => server.stop() };
    },
  });
}

/** A whole response needs a server that sends one. */
function withWhole<D extends DialectName>(
  streaming: DialectUpstream<D>,
  dialect: D,
  scenario: Scenario,
): DialectUpstream<D> {
  return {
    ...streaming,
    async whole(request, signal) {
      const body = DIALECTS[dialect].whole.fromParts(SAMPLES[dialect].parts);
      const server = await startServer([scenario === 'refuses' ? REFUSAL : { body }]);
      try {
        return await createHttpUpstream({ dialect, baseUrl: server.url, retries: RETRIES }).whole(request, signal);
      } finally {
        await server.stop();
      }
    },
  };
}

const MODEL_PARTS: readonly LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r1', modelId: 'sample-model' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Let me ' },
  { type: 'tool-input-start', id: 'toolu_1', toolName: 'get_weather' },
  { type: 'tool-input-delta', id: 'toolu_1', delta: '{"city":' },
  { type: 'text-delta', id: '0', delta: 'look.' },
  { type: 'tool-input-delta', id: 'toolu_1', delta: '"Oslo"}' },
  { type: 'text-end', id: '0' },
  { type: 'tool-input-end', id: 'toolu_1' },
  { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'get_weather', input: '{"city":"Oslo"}' },
  finish('tool-calls'),
];

const MODEL_TURNS: Readonly<Record<Scenario, ModelTurn>> = {
  answers: { parts: MODEL_PARTS },
  refuses: {
    throws: Object.assign(new Error('Slow down'), { name: 'AI_APICallError', statusCode: 429, isRetryable: true }),
  },
  breaks: {
    parts: [...MODEL_PARTS.slice(0, 4), { type: 'error', error: { type: 'server_error', message: 'Broken' } }],
  },
  hangs: { parts: MODEL_PARTS.slice(0, 4), hangs: true },
};

for (const dialect of NAMES) {
  describeUpstream({
    name: 'A translated model',
    dialect,
    make: async (scenario) => ({
      upstream: createModelUpstream({ dialect, model: scriptedModel([MODEL_TURNS[scenario]]), retries: RETRIES }),
    }),
  });
}

for (const dialect of NAMES) {
  describeUpstream({
    name: "The AI SDK's provider for compatible hosts",
    dialect,
    async make(scenario) {
      const streams = await startServer([serverTurn('openai-chat', scenario)]);
      const body = DIALECTS['openai-chat'].whole.fromParts(SAMPLES['openai-chat'].parts);
      const wholes = await startServer([scenario === 'refuses' ? REFUSAL : { body }]);
      const at = (url: string): DialectUpstream<typeof dialect> => {
        const provider = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, includeUsage: true });
        return createModelUpstream({ dialect, model: provider.languageModel('sample-model'), retries: RETRIES });
      };
      return {
        upstream: { ...at(streams.url), whole: at(wholes.url).whole },
        stop: async () => {
          await Promise.all([streams.stop(), wholes.stop()]);
        },
      };
    },
  });
}

for (const dialect of NAMES) {
  describeUpstream({
    name: 'A script',
    dialect,
    async make(scenario) {
      const { parts } = SAMPLES[dialect];
      const refusal = new UpstreamError({ code: 'refused', status: 429, message: 'Slow down' });
      const turns = {
        answers: { parts },
        refuses: { fails: refusal },
        breaks: { parts: parts.slice(0, 4), fails: new UpstreamError({ code: 'unreachable', message: 'Broken' }) },
        hangs: { parts },
      } as const;
      return { upstream: scripted({ dialect, turns: [turns[scenario]] }) };
    },
  });
}
