import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Options, query } from './index.ts';
import { ask } from './testing/ask.fixture.ts';
import { resultOf } from './testing/collect.fixture.ts';
import { office } from './testing/servers.fixture.ts';

let cwd = '';

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'config-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const WEATHER = 'mcp__office__get_weather';
const MAIL = 'mcp__office__send_mail';
const FILE = 'mcp__office__write_file';

/** The names that are declared first, under a configuration. */
async function declared(yaml: string, options: Options = {}): Promise<readonly unknown[]> {
  await writeFile(join(cwd, 'quartermaster.yaml'), yaml);
  const { upstream } = await ask([{ text: 'Hello.' }], { cwd, ...options });
  return upstream.requests[0]?.tools?.map(({ name }) => name) ?? [];
}

describe('tools in quartermaster.yaml', () => {
  it.each([
    ['', true],
    ['upstreams: []', true],
    ['deferral: auto', true],
    ['tools: { tool_search: { enabled: on } }', true],
    ['tools: { tool_search: { enabled: off } }', false],
    ['tools: { tool_search: false }', false],
    // Few tools: below ten percent of the window.
    ['tools: { tool_search: true }', false],
    ['tools: { tool_search: { enabled: auto } }', false],
    ['tools: { tool_search: { threshold_pct: 0 } }', true],
    ['deferral: auto\ntools: { tool_search: { enabled: off } }', false],
    ['deferral: auto\ntools: { tool_search: true }', false],
  ])('%j decides whether tools are searched: %s', async (yaml, isOn) => {
    expect((await declared(yaml)).includes('tool_search')).toBe(isOn);
  });

  it.each<[string, Options, boolean]>([
    ['ENABLE_TOOL_SEARCH', { env: { ENABLE_TOOL_SEARCH: 'true' } }, true],
    ['capabilities', { capabilities: ['tool_search'], toolSearchThreshold: 3 }, true],
    ['nothing', {}, false],
  ])('is weaker than options: %s', async (_what, options, isOn) => {
    expect((await declared('tools: { tool_search: false }', options)).includes('tool_search')).toBe(isOn);
  });

  it('pins tools, and decides about them by pattern, where the options do not', async () => {
    const yaml = 'tools:\n  pins: [office/get_weather]\n  policies: { "office/send_*": never }';
    expect(await declared(yaml)).toEqual(['tool_search', WEATHER, MAIL]);
    expect(await declared(yaml, { pins: [] })).toEqual(['tool_search', MAIL]);
    expect(await declared(yaml, { pins: ['*file'] })).toEqual(['tool_search', MAIL, FILE]);
    expect(await declared(yaml, { policies: {} })).toEqual(['tool_search', WEATHER]);
    expect(await declared(yaml, { policies: { tools: { [FILE]: 'never' } } })).toEqual(['tool_search', WEATHER, FILE]);
  });

  it('says what tokens cost, where the options do not', async () => {
    const yaml = 'prices: { "claude-*": { input: 1000000, output: 0 }, "other-*": { input: 3 } }';
    await writeFile(join(cwd, 'quartermaster.yaml'), yaml);
    const cost = async (options: Options) =>
      resultOf((await ask([{ text: 'Hello.' }], { cwd, model: 'claude-test', ...options })).messages);
    expect(await cost({})).toMatchObject({ total_cost_usd: 10 });
    expect(await cost({ maxBudgetUsd: 20 })).toMatchObject({ subtype: 'success', total_cost_usd: 10 });
    expect(await cost({ prices: { '*': { input: 0, output: 0 } } })).toMatchObject({ total_cost_usd: 0 });
    expect(await cost({ model: 'other-1', maxBudgetUsd: 20 })).toMatchObject({
      errors: [expect.stringContaining('none for the model "other-1"')],
    });
  });

  it('limits searches, whichever side decides about deferral', async () => {
    await writeFile(
      join(cwd, 'quartermaster.yaml'),
      'tools: { tool_search: { enabled: off, search_default_limit: 1, max_search_limit: 2 } }',
    );
    const found = async (limit: object): Promise<number> => {
      const options = { cwd, env: { ENABLE_TOOL_SEARCH: 'true' }, mcpServers: { office: office(20) } };
      const search = { calls: [{ name: 'tool_search', input: { query: 'quarterly report archive', ...limit } }] };
      const { upstream } = await ask([search, { text: 'Found.' }], options);
      return (upstream.requests[1]?.tools?.length ?? 0) - 1;
    };
    expect(await found({})).toBe(1);
    expect(await found({ limit: 9 })).toBe(2);
  });

  it('is read where the upstream is given too: what is wrong in it is told, with the line', async () => {
    await expect(declared('tools:\n  policies: { "office/*": sometimes }')).rejects.toThrow(
      /quartermaster\.yaml:2: tools\.policies/,
    );
    await expect(declared(`tools: { pins: ["\${QM_TEST_UNSET}"] }`)).rejects.toThrow('QM_TEST_UNSET');
  });

  it.each([
    ['an upstream’s key', `upstreams: [{ models: ["*"], provider: openai, apiKey: "\${QM_TEST_UNSET}" }]`],
    [
      'an upstream’s address',
      `upstreams: [{ models: ["*"], provider: openai-compatible, baseUrl: "\${QM_TEST_UNSET}/v1" }]`,
    ],
    ['clients’ keys', `keys: [{ name: a, key: "\${QM_TEST_UNSET_A}" }, { name: b, key: "\${QM_TEST_UNSET_B}" }]`],
    ['the store', `store: { url: "\${QM_TEST_UNSET}" }`],
    ['what the store encrypts with', `store: { encryptionKey: "\${QM_TEST_UNSET}" }`],
    ['several of those', `store: { encryptionKey: ["\${QM_TEST_UNSET_A}", "\${QM_TEST_UNSET_B}"] }`],
    ['where the gateway listens', `listen: { host: "\${QM_TEST_UNSET}", port: "\${QM_TEST_UNSET_B}" }`],
    ['other files', `mcpConfig: ["\${QM_TEST_UNSET}", none-such.json]`],
  ])('is taken where the upstream is given, though variables are not set: %s', async (_what, yaml) => {
    const warnings = heardWarnings();
    expect(await declared(`${yaml}\ntools: { pins: [office/get_weather] }`)).toEqual(['tool_search', WEATHER]);
    expect(await warnings()).toEqual([]);
  });

  it.each([
    ['is no YAML', 'tools: [', /quartermaster\.yaml:1: The document is not valid YAML/],
    [
      'has mistakes elsewhere',
      'limit: {}\ntools: { tool_search: false }',
      /quartermaster\.yaml:1: limit is not a setting/,
    ],
  ])('is left alone, with a warning, where the upstream is given and the file %s', async (_what, yaml, reason) => {
    const warnings = heardWarnings();
    expect(await declared(yaml)).toEqual(['tool_search']);
    expect(await warnings()).toEqual([expect.stringMatching(reason)]);
  });

  it('is an error where the model is to be found in the file', async () => {
    const yaml = `upstreams: [{ models: ["*"], provider: openai, apiKey: "\${QM_TEST_UNSET}" }]`;
    await writeFile(join(cwd, 'quartermaster.yaml'), yaml);
    const next = query({ prompt: 'Do it', options: { cwd } }).next();
    await expect(next).rejects.toThrow(/quartermaster\.yaml:1: upstreams\[0\]\.apiKey needs .* QM_TEST_UNSET/);
  });
});

/** What the process is warned of from now on. */
function heardWarnings(): () => Promise<readonly string[]> {
  const heard: string[] = [];
  const hear = ({ message }: Error): void => {
    heard.push(message);
  };
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  return async () => {
    // They are told in the next turn of the event loop.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return heard;
  };
}
