import type { Terminal } from '../../terminal/index.ts';
import { SAMPLE_NAME, type StoredSample } from './store-sample-catalog.ts';

export interface Greeting {
  /** Where it listens. */
  readonly url: string;
  /** Absent where the upstreams are configured. */
  readonly sample?: StoredSample;
  readonly hasKeys: boolean;
  /** Whether there are MCP servers behind it. */
  readonly hasMcp: boolean;
}

/** Printed once it listens: where, what to try, how clients connect. The same in a terminal and in a pipe. */
export function renderGreeting({ url, sample, hasKeys, hasMcp }: Greeting, { paint }: Terminal): string {
  const reachable = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const about =
    sample === undefined
      ? 'List the models:'
      : `Try it on ${sample.tools} sample tools of ${sample.services} services. A mock model answers; no API key is needed:`;
  const needed = `Use a key that may use the model "rehearsal" and the catalog "${SAMPLE_NAME}".`;
  const token = hasKeys ? '"$QUARTERMASTER_KEY"' : 'none';
  return [
    `${paint.bold('Quartermaster is listening on')} ${paint.cyan(url)}`,
    sample === undefined
      ? 'Open it in a browser to search your catalogs and see what they cost.'
      : 'Open it in a browser to try searches on the sample catalog.',
    '',
    about,
    ...(sample !== undefined && hasKeys ? [needed] : []),
    '',
    sample === undefined ? curlModels(reachable, hasKeys) : curlMessage(reachable, hasKeys),
    '',
    sample === undefined ? 'The same with the Anthropic SDK:' : 'The same question with the Anthropic SDK:',
    '',
    ...sdkLines({ url: reachable, hasKeys, hasSample: sample !== undefined }),
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

/** A question whose answer shows the whole flow. No part of it has a quote that a shell would stumble over. */
const QUESTION = JSON.stringify({
  model: 'rehearsal',
  max_tokens: 1024,
  tools: [
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    { type: 'quartermaster_catalog', name: SAMPLE_NAME, defer_loading: true },
  ],
  messages: [{ role: 'user', content: 'Are there weather alerts for Oslo?' }],
});

function curlMessage(url: string, hasKeys: boolean): string {
  const headers = `${keyHeader(hasKeys)}-H 'anthropic-version: 2023-06-01' -H 'content-type: application/json'`;
  return `curl -s ${url}/v1/messages ${headers} -d '${QUESTION}'`;
}

function curlModels(url: string, hasKeys: boolean): string {
  return `curl -s ${keyHeader(hasKeys)}${url}/v1/models`;
}

/** The same as a file that runs as it stands. */
function sdkLines(from: { readonly url: string; readonly hasKeys: boolean; readonly hasSample: boolean }): string[] {
  const key = from.hasKeys ? 'process.env.QUARTERMASTER_KEY' : "'none'";
  return [
    "import Anthropic from '@anthropic-ai/sdk';",
    `const client = new Anthropic({ baseURL: '${from.url}', apiKey: ${key} });`,
    `console.log(${from.hasSample ? `await client.messages.create(${QUESTION})` : '(await client.models.list()).data'});`,
  ];
}

function keyHeader(hasKeys: boolean): string {
  return hasKeys ? '-H "x-api-key: $QUARTERMASTER_KEY" ' : '';
}
