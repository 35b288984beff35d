import type { Terminal } from '../../terminal/index.ts';
import { SAMPLE_NAME, type StoredSample } from './store-sample-catalog.ts';

export interface Greeting {
  /** The address that it listens at. */
  readonly url: string;
  /** Absent if upstreams are configured. */
  readonly sample?: StoredSample;
  /** The names and patterns of the configured models. */
  readonly models: readonly string[];
  readonly hasKeys: boolean;
  /** Whether MCP servers are configured. */
  readonly hasMcp: boolean;
}

/** Printed once it listens: the address, what to try, how clients connect. The same in a terminal and in a pipe. */
export function renderGreeting({ url, sample, models, hasKeys, hasMcp }: Greeting, { paint }: Terminal): string {
  const reachable = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const question = sample === undefined ? plainQuestion(models) : QUESTION;
  const needed = hasKeys
    ? `use a key that may use the model "rehearsal" and the catalog "${SAMPLE_NAME}":`
    : 'no API key is needed:';
  const about =
    sample === undefined
      ? describeQuestion(models)
      : `Try it on ${sample.tools} sample tools of ${sample.services} services. A mock model answers; ${needed}`;
  const where =
    url === reachable ? 'Open it in a browser' : `On this machine, open ${paint.cyan(reachable)} in a browser`;
  const token = hasKeys ? '"$QUARTERMASTER_KEY"' : 'none';
  return [
    `${paint.bold('Quartermaster is listening on')} ${paint.cyan(url)}`,
    sample === undefined
      ? `${where} to search your catalogs and see what they cost.`
      : `${where} to try searches on the sample catalog.`,
    '',
    about,
    '',
    curlMessage(reachable, { question, hasKeys }),
    '',
    'The same question with the Anthropic SDK:',
    '',
    ...sdkLines(reachable, { question, hasKeys }),
    '',
    ...(sample === undefined
      ? []
      : [
          'In the answer: server_tool_use (the search), tool_search_tool_result (what it found), tool_use (the call).',
          '',
        ]),
    `${paint.dim('Claude Code')}     ANTHROPIC_BASE_URL=${reachable} ANTHROPIC_AUTH_TOKEN=${token} ENABLE_TOOL_SEARCH=true claude`,
    `${paint.dim('OpenAI SDKs')}     base URL ${reachable}/v1`,
    ...(hasMcp ? [`${paint.dim('MCP clients')}     ${reachable}/mcp`] : []),
    ...(sample === undefined
      ? []
      : [`${paint.dim('Real models')}     configure them in quartermaster.yaml: see quartermaster serve --help`]),
    '',
    'Ctrl+C stops it after the responses in progress.',
  ].join('\n');
}

/** A question whose answer shows the whole flow, without quotes, which a shell would interpret. */
const QUESTION = JSON.stringify({
  model: 'rehearsal',
  max_tokens: 1024,
  tools: [
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    { type: 'quartermaster_catalog', name: SAMPLE_NAME, defer_loading: true },
  ],
  messages: [{ role: 'user', content: 'Are there weather alerts for Oslo?' }],
});

/** The question for the first model with a full name; otherwise the user fills one in. */
function plainQuestion(models: readonly string[]): string {
  const messages = [{ role: 'user', content: 'Hello' }];
  return JSON.stringify({ model: namedModel(models) ?? 'MODEL', max_tokens: 100, messages });
}

function describeQuestion(models: readonly string[]): string {
  const named = namedModel(models);
  return named === undefined
    ? `Ask a model: put the name of one that matches ${models.join(', ')} in the place of MODEL.`
    : `Ask ${named}:`;
}

/** Quotes in a name would end those of the shell. */
function namedModel(models: readonly string[]): string | undefined {
  return models.find((model) => /^[\w.:@/-]+$/.test(model));
}

interface Question {
  readonly question: string;
  readonly hasKeys: boolean;
}

function curlMessage(url: string, { question, hasKeys }: Question): string {
  const headers = `${keyHeader(hasKeys)}-H 'anthropic-version: 2023-06-01' -H 'content-type: application/json'`;
  return `curl -s ${url}/v1/messages ${headers} -d '${question}'`;
}

/** The same request as a program that runs as it is. */
function sdkLines(url: string, { question, hasKeys }: Question): readonly string[] {
  const key = hasKeys ? 'process.env.QUARTERMASTER_KEY' : "'none'";
  return [
    "import Anthropic from '@anthropic-ai/sdk';",
    `const client = new Anthropic({ baseURL: '${url}', apiKey: ${key} });`,
    `console.log(await client.messages.create(${question}));`,
  ];
}

function keyHeader(hasKeys: boolean): string {
  return hasKeys ? '-H "x-api-key: $QUARTERMASTER_KEY" ' : '';
}
