import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClaudeCodeRun, type ClaudeCodeTask, installClaudeCode, runClaudeCode } from './claude-code.fixture.ts';
import { type RecordedExchange, type RecordedGateway, recordedGateway } from './configured-gateway.fixture.ts';
import { type ReportServer, reportServer } from './report-server.fixture.ts';
import { type Scene, type ScriptedHost, scriptedHost, type Turn } from './scripted-host.fixture.ts';

beforeAll(installClaudeCode, 300_000);
// It starts a large program each time.
vi.setConfig({ testTimeout: 120_000 });

/** As Claude Code calls one of the server's 60 tools. */
const TOOL = 'mcp__reports__report_07';

/** Finds the tool by whatever search there is, calls it, and reports. */
function decide({ tools, results }: Scene): Turn {
  const search = tools.find((name) => name === 'ToolSearch' || name === 'tool_search');
  if (search === undefined) return { text: 'Nothing to do.' };
  if (results.length === 0) return { call: search, input: { query: `select:${TOOL}`, max_results: 5 } };
  if (results.length === 1) return { call: TOOL, input: { year: 2025 } };
  return { text: `Done: ${results[1]}` };
}

interface Run extends ClaudeCodeRun {
  readonly gateway: RecordedGateway;
  readonly host: ScriptedHost;
  readonly reports: ReportServer;
}

async function runTask(
  upstream: { readonly dialect: 'anthropic' | 'openai-chat'; readonly settings: object },
  task: Pick<ClaudeCodeTask, 'model' | 'env'>,
  settings: object = {},
): Promise<Run> {
  const host = await scriptedHost(upstream.dialect, decide);
  const fixed = { models: ['*'], baseUrl: host.url, apiKey: 'sk-upstream' };
  const gateway = await recordedGateway({ upstreams: [{ ...fixed, ...upstream.settings }], ...settings });
  const reports = await reportServer(60);
  const run = await runClaudeCode({
    ...task,
    prompt: 'What does report 7 of 2025 say?',
    baseUrl: gateway.url,
    mcpUrl: reports.url,
    allowedTools: [TOOL],
  });
  return { ...run, gateway, host, reports };
}

interface ClientRequest {
  readonly tools: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly messages: readonly object[];
}

function requestsOf({ exchanges }: RecordedGateway): readonly ClientRequest[] {
  return exchanges.filter(({ path }) => path === '/v1/messages').map(({ body }) => body as ClientRequest);
}

/** Claude Code holds its tools back: none of the server's is sent but those that it has found, and those are marked. */
function expectDeferral({ tools }: ClientRequest, found: readonly string[]): void {
  const names = tools.filter((tool) => tool.defer_loading !== true).map(({ name }) => name);
  expect(names).toContain('ToolSearch');
  expect(names.filter((name) => name.startsWith('mcp__'))).toEqual([]);
  const deferred = tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name);
  expect(deferred.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(found);
}

function refused({ exchanges }: RecordedGateway): readonly RecordedExchange[] {
  return exchanges.filter(({ status }) => status !== 200);
}

const ANTHROPIC = { dialect: 'anthropic', settings: { provider: 'anthropic' } } as const;
const WITHOUT_REFERENCES = { ...ANTHROPIC, settings: { provider: 'anthropic', references: false } } as const;
const OPENAI = { dialect: 'openai-chat', settings: { provider: 'openai-compatible' } } as const;

describe('Claude Code with 60 tools of an MCP server', () => {
  it.each([
    { host: 'an Anthropic-like host', upstream: ANTHROPIC, model: 'claude-sonnet-4-5' },
    { host: 'a host that knows no references', upstream: WITHOUT_REFERENCES, model: 'claude-sonnet-4-5' },
    { host: 'an OpenAI-like host', upstream: OPENAI, model: 'gpt-5.4' },
  ])('completes a task in front of $host, and still defers at the end', async ({ upstream, model }) => {
    const { told, strangers, gateway, host, reports } = await runTask(upstream, { model });
    expect(strangers).toEqual([]);
    expect(told.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
    expect(told.at(-1)?.result).toContain('report_07 says 42');
    expect(reports.calls).toEqual([{ tool: 'report_07', input: { year: 2025 } }]);

    expect(refused(gateway)).toEqual([]);
    const requests = requestsOf(gateway);
    expect(requests).toHaveLength(3);
    requests.forEach((request, index) => {
      expectDeferral(request, index === 0 ? [] : [TOOL]);
    });
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain(`{"type":"tool_reference","tool_name":"${TOOL}"}`);

    const declared = host.requests.map(({ body }) =>
      body.tools?.map((tool) => tool.name ?? tool.function?.name).filter((name) => name?.startsWith('mcp__')),
    );
    expect(declared).toEqual([[], [TOOL], [TOOL]]);
  });

  it('an Anthropic-like host gets what Claude Code has sent, untouched', async () => {
    const { gateway, host } = await runTask(ANTHROPIC, { model: 'claude-sonnet-4-5' });
    expect(host.requests.map(({ body }) => body)).toEqual(requestsOf(gateway));
    const betas = gateway.exchanges.map(({ headers }) => headers.get('anthropic-beta'));
    expect(host.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual(betas);
    expect(JSON.stringify(host.requests.map(({ headers }) => headers))).not.toContain('sk-test');
  });

  it('an OpenAI-like host gets neither marks nor references, and reads what was found', async () => {
    const { host } = await runTask(OPENAI, { model: 'gpt-5.4' });
    const sent = host.requests.map(({ body }) => JSON.stringify(body));
    expect(sent.join('')).not.toMatch(/defer_loading|tool_reference|DeferredToolPlaceholder/);
    expect(sent[0]).not.toContain('Report number 7');
    // Claude Code takes messages of one id for one message: a round must not be mixed up with the next.
    const roles = host.requests.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles?.filter((role) => role !== 'system')).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    // An answer to a search is read again in every turn: it must not change.
    const answers = host.requests.map(({ body }) => body.messages.find(({ role }) => role === 'tool')?.content);
    expect(answers[1]).toMatch(/^<functions>\n<function>\{.*"name":"mcp__reports__report_07".*\}<\/function>/);
    expect(answers[2]).toBe(answers[1]);
  });

  it.each([
    { host: 'the host', upstream: ANTHROPIC, threshold: 'auto' },
    { host: 'the gateway', upstream: OPENAI, threshold: 'auto:1' },
  ])('defers where it asks how many tokens its tools have, and $host has counted', async (scene) => {
    const { upstream, threshold } = scene;
    const task = { model: 'claude-sonnet-4-5', env: { ENABLE_TOOL_SEARCH: threshold } };
    const { told, gateway } = await runTask(upstream, task);
    expect(gateway.exchanges.map(({ path }) => path)).toContain('/v1/messages/count_tokens');
    expect(refused(gateway)).toEqual([]);
    expect(told.at(-1)?.result).toContain('report_07 says 42');
    for (const request of requestsOf(gateway).slice(1)) expectDeferral(request, [TOOL]);
  });

  it('is left alone by a gateway that defers by itself', async () => {
    const { gateway, host, reports } = await runTask(OPENAI, { model: 'gpt-5.4' }, AUTOMATIC);
    expect(reports.calls).toHaveLength(1);
    for (const request of requestsOf(gateway).slice(1)) expectDeferral(request, [TOOL]);
    const names = host.requests.flatMap(({ body }) => body.tools?.map((tool) => tool.function?.name));
    expect(names).not.toContain('tool_search');
  });

  it('has the gateway’s search where its own is off', async () => {
    const env = { ENABLE_TOOL_SEARCH: 'false' };
    const { told, gateway, host, reports } = await runTask(OPENAI, { model: 'gpt-5.4', env }, AUTOMATIC);
    expect(refused(gateway)).toEqual([]);
    expect(told.at(-1)?.result).toContain('report_07 says 42');
    expect(reports.calls).toEqual([{ tool: 'report_07', input: { year: 2025 } }]);
    const counts = host.requests.map(({ body }) => body.tools?.length ?? 0);
    expect(requestsOf(gateway).every(({ tools }) => tools.length > 60)).toBe(true);
    expect(Math.max(...counts)).toBeLessThan(10);
  });
});

const AUTOMATIC = { deferral: 'auto', tools: { tool_search: { enabled: 'on' } } };
