import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../store/index.ts';
import { ConfigError } from './config-error.ts';
import { load, makeFolder } from './config-folder.fixture.ts';
import { describeConfig } from './describe-config.ts';
import { loadConfig } from './load-config.ts';

describe('defaults', () => {
  it('need no file', () => {
    const folder = makeFolder({});
    expect(loadConfig({ folder, env: {} })).toEqual({
      listen: { host: '127.0.0.1', port: 8787 },
      store: { location: { path: join(folder, '.quartermaster/store.db') }, encryptionKeys: [], auditDays: 365 },
      upstreams: [],
      mcpServers: Object.create(null),
      serverFiles: new Map(),
      unusableServers: [],
      notes: [],
      inputs: [],
      mcp: {
        sessions: false,
        searchGuard: 'hint',
        quarantine: 'off',
        findings: 'warn',
        alwaysLoad: 'auto',
        limits: { toolsPerServer: 100_000, listBytes: 67_108_864, listPages: 1_000 },
        resultBytes: 8 * 1024 ** 2,
        requestBytes: 4 * 1024 ** 2,
        messageValues: 200_000,
        origins: [],
        connector: {
          enabled: true,
          allow: ['https://*'],
          connectTimeoutMs: 10_000,
          callTimeoutMs: 120_000,
          resultBytes: 262_144,
        },
      },
      tools: {
        gate: {
          rule: { kind: 'share', percent: 10, comparison: 'at-least' },
          search: { defaultLimit: 5, maxLimit: 20 },
          pins: [],
        },
        policies: { patterns: Object.create(null) },
        listingTokens: 0,
        autoPins: false,
      },
      usage: { learn: 'off' },
      transcripts: { keep: 'store', retentionHours: 168, maxBytes: 1024 ** 3 },
      insight: { keep: 'off', retentionDays: 90, maxBytes: 256 * 1024 ** 2, wire: false },
      prices: {},
      search: {
        engine: 'auto',
        backend: 'memory',
        whenNothingFits: 'empty',
        cache: { diskBytes: 536_870_912, storeBytes: 1_073_741_824 },
      },
      deferral: 'as-requested',
      deferralSource: 'default',
      errorCodes: 'typed',
      strict: false,
      keys: [],
      limits: {
        bodyBytes: 33_554_432,
        batchBytes: 268_435_456,
        batchItems: 100_000,
        batchConcurrency: 4,
        rounds: 12,
        upstreamTimeoutMs: 600_000,
        upstreamRetries: 2,
        indexCacheBytes: 536_870_912,
        inProgressBytes: 2_147_483_648,
        requestTools: 10_000,
        catalogTools: 100_000,
        searchedTools: 200_000,
        queryLength: 4_096,
        offThreadBytes: 1_048_576,
      },
      files: [],
    });
  });

  it.each(['', '# nothing but a comment\n', 'listen:\nstore:\nupstreams:\n'])(
    'stand for what %j leaves out',
    (yaml) => {
      expect({ ...load(yaml), files: [], store: undefined }).toEqual({ ...load(undefined), store: undefined });
    },
  );
});

describe('a full file', () => {
  const yaml = `
listen: { host: 0.0.0.0, port: 9000, publicUrl: 'https://models.example.com' }
store:
  url: postgres://ann:hunter2@db.example.com/qm
  encryptionKey: [${'ab'.repeat(32)}, ${'cd'.repeat(32)}]
upstreams:
  - models: [claude-*]
    provider: anthropic
    apiKey: \${ANTHROPIC_API_KEY}
    references: true
    toolSearch: upstream
  - { models: ['*'], provider: openai-compatible, baseUrl: 'http://localhost:11434/v1', contextTokens: 32768 }
mcpServers:
  files: { command: npx, args: [-y, server-filesystem, 8080], env: { TOKEN: secret }, cwd: /srv, policy: always }
  remote: { type: sse, url: 'https://mcp.example.com/s', headers: { Authorization: Bearer abc }, deny: [delete_*], callTimeoutMs: 5000 }
mcp: { contextTokens: 8192 }
tools:
  tool_search: { enabled: on, max_search_limit: 3 }
  pins: [github/create_issue]
  policies: { 'github/*': never }
search: { engine: bm25, whenNothingFits: best }
deferral: auto
errorCodes: documented
strict: true
keys:
  - { name: laptop, key: topsecret, models: [claude-*], limits: { requestsPerMinute: 60 } }
  - { name: server, hash: ${'AB'.repeat(32)} }
limits: { bodyBytes: 2048, rounds: 3, batchConcurrency: 0 }
`;

  it('is read completely', () => {
    const config = load(yaml, { env: { ANTHROPIC_API_KEY: 'sk-1' } });
    expect(config).toMatchObject({
      listen: { host: '0.0.0.0', port: 9000, publicUrl: 'https://models.example.com' },
      store: {
        location: { url: 'postgres://ann:hunter2@db.example.com/qm' },
        encryptionKeys: [new Uint8Array(32).fill(0xab), new Uint8Array(32).fill(0xcd)],
      },
      upstreams: [
        { models: ['claude-*'], provider: 'anthropic', apiKey: 'sk-1', references: true, toolSearch: 'upstream' },
        {
          models: ['*'],
          provider: 'openai-compatible',
          baseUrl: 'http://localhost:11434/v1',
          contextTokens: 32_768,
          toolSearch: 'local',
        },
      ],
      mcpServers: {
        files: {
          command: 'npx',
          args: ['-y', 'server-filesystem', '8080'],
          env: { TOKEN: 'secret' },
          cwd: '/srv',
          policy: 'always',
        },
        remote: {
          type: 'sse',
          url: 'https://mcp.example.com/s',
          headers: { Authorization: 'Bearer abc' },
          deny: ['delete_*'],
        },
      },
      mcp: { contextTokens: 8192, sessions: false },
      tools: {
        gate: { rule: { kind: 'on' }, search: { defaultLimit: 3, maxLimit: 3 }, pins: ['github/create_issue'] },
        policies: { patterns: { 'github/*': 'never' } },
        listingTokens: 0,
      },
      search: { engine: 'bm25', whenNothingFits: 'best' },
      deferral: 'auto',
      errorCodes: 'documented',
      strict: true,
      keys: [
        {
          name: 'laptop',
          hash: hashApiKey('topsecret'),
          models: ['claude-*'],
          catalogs: ['*'],
          limits: { requestsPerMinute: 60 },
        },
        { name: 'server', hash: 'ab'.repeat(32), models: ['*'], catalogs: ['*'], limits: {} },
      ],
      limits: { bodyBytes: 2048, batchItems: 100_000, rounds: 3, batchConcurrency: 0 },
    });
    expect(config.files).toHaveLength(1);
  });

  it('is described without any of its secrets', () => {
    const config = load(yaml, { env: { ANTHROPIC_API_KEY: 'sk-1' } });
    const described = JSON.stringify(describeConfig(config));
    const secrets = [
      'sk-1',
      'hunter2',
      'topsecret',
      hashApiKey('topsecret'),
      'Bearer',
      '"secret"',
      'server-filesystem',
      'abab',
      '/s"',
    ];
    for (const secret of secrets) expect(described).not.toContain(secret);
    expect(describeConfig(config)).toMatchObject({
      store: { url: 'postgres://db.example.com/…', encryptionKeys: 2 },
      upstreams: [{ apiKey: 'set' }, { apiKey: 'not set', baseUrl: 'http://localhost:11434/…' }],
      mcpServers: {
        files: { command: 'npx', args: 3, env: ['TOKEN'] },
        remote: { url: 'https://mcp.example.com/…', headers: ['Authorization'], deny: ['delete_*'] },
      },
      mcp: { contextTokens: 8192 },
      keys: [{ name: 'laptop' }, { name: 'server' }],
    });
  });
});

describe('the gate', () => {
  it('ENABLE_TOOL_SEARCH sets the rule and keeps limits and pins', () => {
    const tools = 'tools: { tool_search: { max_search_limit: 7 }, pins: [a] }';
    expect(load(tools, { env: { ENABLE_TOOL_SEARCH: 'auto:5' } }).tools.gate).toEqual({
      rule: { kind: 'share', percent: 5, comparison: 'exceeds' },
      search: { defaultLimit: 5, maxLimit: 7 },
      pins: ['a'],
    });
  });

  it('pins used tools if learning is on, and says what is missing otherwise', () => {
    expect(load('tools: { pins: auto }\nusage: { learn: counts }')).toMatchObject({
      tools: { gate: { pins: [] }, autoPins: true },
      usage: { learn: 'counts' },
    });
    expect(load('usage: { learn: false }').usage.learn).toBe('off');
    expect(() => load('tools: { pins: auto }')).toThrow('usage.learn is off; set it to counts or vectors');
    expect(() => load('usage: { learn: texts }')).toThrow(/usage\.learn/);
  });

  it.each<[string, string, Record<string, string>, string, string]>([
    ['nothing', 'tools: { pins: [a] }', {}, 'as-requested', 'default'],
    ['an empty key', 'tools:\n  tool_search:', {}, 'as-requested', 'default'],
    ['an empty variable', '', { ENABLE_TOOL_SEARCH: '' }, 'as-requested', 'default'],
    ['the block', 'tools: { tool_search: { enabled: on } }', {}, 'auto', 'tools.tool_search'],
    ['a limit alone', 'tools: { tool_search: { max_search_limit: 7 } }', {}, 'auto', 'tools.tool_search'],
    ['the older boolean', 'tools: { tool_search: true }', {}, 'auto', 'tools.tool_search'],
    ['a block that is off', 'tools: { tool_search: { enabled: off } }', {}, 'as-requested', 'tools.tool_search'],
    ['the older boolean, off', 'tools: { tool_search: false }', {}, 'as-requested', 'tools.tool_search'],
    ['the variable', '', { ENABLE_TOOL_SEARCH: 'auto' }, 'auto', 'ENABLE_TOOL_SEARCH'],
    [
      'the variable, off',
      'tools: { tool_search: true }',
      { ENABLE_TOOL_SEARCH: 'false' },
      'as-requested',
      'ENABLE_TOOL_SEARCH',
    ],
    [
      'the variable over a block that is off',
      'tools: { tool_search: false }',
      { ENABLE_TOOL_SEARCH: 'true' },
      'auto',
      'ENABLE_TOOL_SEARCH',
    ],
    [
      'deferral, whatever the block says',
      'deferral: as-requested\ntools: { tool_search: true }',
      {},
      'as-requested',
      'deferral',
    ],
    ['deferral, where the block is off', 'deferral: auto\ntools: { tool_search: false }', {}, 'auto', 'deferral'],
    [
      'its variable',
      '',
      { ENABLE_TOOL_SEARCH: 'true', QUARTERMASTER_DEFERRAL: 'as-requested' },
      'as-requested',
      'deferral',
    ],
  ])('deferral follows %s', (_, yaml, env, deferral, deferralSource) => {
    expect(load(yaml, { env })).toMatchObject({ deferral, deferralSource });
  });
});

describe('search.backend postgres', () => {
  it('is accepted with a PostgreSQL store, from the file or the environment', () => {
    const yaml = 'search: { backend: postgres }';
    expect(load(`${yaml}\nstore: { url: "postgres://h/d" }`).search.backend).toBe('postgres');
    expect(load(yaml, { env: { DATABASE_URL: 'postgres://h/d' } }).search.backend).toBe('postgres');
  });

  it.each([
    ['search: { backend: postgres }', 'set store.url or DATABASE_URL'],
    ['search: { backend: postgres, engine: bm25 }\nstore: { url: "postgres://h/d" }', 'set search.engine to auto'],
    ['search: { backend: postgres, hints: none.yaml }\nstore: { url: "postgres://h/d" }', 'does not use search.hints'],
  ])('is refused for %j', (yaml, message) => {
    expect(() => load(yaml)).toThrow(message);
  });
});

it.each(['search: " "', 'search: []', 'search: 5', 'tools: x', 'limits: []', 'mcpConfig: 7'])(
  'a block that is none (%s) is refused with what is wrong',
  (text) => {
    expect(() => load(text)).toThrow(ConfigError);
  },
);
