import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../store/index.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { describeConfig } from './describe-config.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';

const root = mkdtempSync(join(tmpdir(), 'quartermaster-config-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

type Files = Readonly<Record<string, string>>;

function makeFolder(files: Files): string {
  folders += 1;
  const folder = join(root, String(folders));
  for (const [name, content] of Object.entries({ '.keep': '', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function load(yaml: string | undefined, options: Partial<LoadConfigOptions> & { readonly files?: Files } = {}): Config {
  const { files = {}, ...rest } = options;
  const folder = makeFolder({ ...files, ...(yaml === undefined ? {} : { 'quartermaster.yaml': yaml }) });
  return loadConfig({ folder, env: {}, ...rest });
}

/** The problems, with the folder cut off their sources. */
function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message.split('\n').map((line) => line.replace(/^\S*\/quartermaster-config-[^/]*\/\d+\//, ''));
    throw error;
  }
  return [];
}

/** Nine lists of ten aliases of the list before: a thousand million values. */
function aliasBomb(): string {
  const lists = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, names) => {
    const item = index === 0 ? 'x' : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(10).fill(item).join(', ')}]`;
  });
  return lists.join('\n');
}

describe('defaults', () => {
  it('need no file', () => {
    const folder = makeFolder({});
    expect(loadConfig({ folder, env: {} })).toEqual({
      listen: { host: '127.0.0.1', port: 8787 },
      store: { location: { path: join(folder, '.quartermaster/store.db') }, encryptionKeys: [] },
      upstreams: [],
      mcpServers: Object.create(null),
      mcp: {
        sessions: false,
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
      },
      search: { engine: 'hybrid', whenNothingFits: 'empty' },
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
        indexCacheBytes: 268_435_456,
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

  it('is read whole', () => {
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

describe('variables', () => {
  const port = (value: string, env: Record<string, string> = {}) =>
    load(`listen: { port: ${value} }`, { env }).listen.port;

  it('stand for texts, numbers and flags', () => {
    const upstreams = `upstreams: [{ models: [a], provider: "\${P}", references: "\${R:-true}", contextTokens: "\${C}", baseUrl: "http://\${H:-localhost}:\${N}/v1" }]`;
    expect(load(upstreams, { env: { P: 'openai', C: '1000', N: '1' } }).upstreams).toEqual([
      {
        models: ['a'],
        provider: 'openai',
        references: true,
        contextTokens: 1000,
        baseUrl: 'http://localhost:1/v1',
        toolSearch: 'local',
      },
    ]);
  });

  it('have a default that also stands for an empty variable', () => {
    expect(port(`"\${PORT:-81}"`)).toBe(81);
    expect(port(`"\${PORT:-81}"`, { PORT: '' })).toBe(81);
    expect(port(`"\${PORT:-81}"`, { PORT: '82' })).toBe(82);
    expect(port(`"\${env:PORT}"`, { PORT: '83' })).toBe(83);
  });

  it(`are not looked up on the prototype, and $\${ is plain text`, () => {
    expect(problemsOf(() => port(`"\${constructor}"`))).toEqual([
      expect.stringContaining('variable constructor, which is not set'),
    ]);
    expect(load(`listen: { host: "$\${A}" }`).listen.host).toBe(`\${A}`);
  });

  it('a quoted number is no number unless a variable brought it', () => {
    expect(problemsOf(() => port('"80"'))).toEqual([
      'quartermaster.yaml:1: listen.port is "80"; allowed: a whole number from 0 to 65535',
    ]);
  });
});

describe('environment and flags', () => {
  const yaml = 'listen: { host: file, port: 1 }\nstore: { url: "postgres://file/db" }\nsearch: { engine: hybrid }';

  it('flags beat the environment, which beats the file', () => {
    const env = { QUARTERMASTER_HOST: 'env', QUARTERMASTER_PORT: '2', QUARTERMASTER_DEFERRAL: 'auto' };
    expect(load(yaml, { env }).listen).toEqual({ host: 'env', port: 2 });
    const both = load(yaml, { env, flags: { port: '3', searchEngine: 'bm25' } });
    expect(both).toMatchObject({ listen: { host: 'env', port: 3 }, deferral: 'auto', search: { engine: 'bm25' } });
    expect(load(undefined, { flags: { port: 4, host: '::1' } }).listen).toEqual({ host: '::1', port: 4 });
    expect(load(yaml, { env: { QUARTERMASTER_PORT: '' } }).listen.port).toBe(1);
    const reranking = load(yaml, { env: { QUARTERMASTER_SEARCH_ENGINE: 'hybrid+reranker' } });
    expect(reranking.search.engine).toBe('hybrid+reranker');
  });

  it.each<[string, Partial<LoadConfigOptions>, object]>([
    ['the file', {}, { url: 'postgres://file/db' }],
    ['DATABASE_URL', { env: { DATABASE_URL: 'postgres://env/db' } }, { url: 'postgres://env/db' }],
    ['a path in the environment', { env: { QUARTERMASTER_STORE: '/env.db' } }, { path: '/env.db' }],
    [
      'a path by flag',
      { env: { DATABASE_URL: 'postgres://env/db' }, flags: { store: '/flag.db' } },
      { path: '/flag.db' },
    ],
    ['memory by flag', { flags: { store: ':memory:' } }, { path: ':memory:' }],
    [
      'an address by flag',
      { flags: { store: '/flag.db', databaseUrl: 'postgres://flag/db' } },
      { url: 'postgres://flag/db' },
    ],
  ])('the store is where %s says, the strongest that says anything', (_, options, location) => {
    expect(load(yaml, options).store.location).toEqual(location);
  });

  it('a path in the file begins at the file, one on the command line where one stands', () => {
    const folder = makeFolder({ 'etc/qm.yaml': 'store: { path: a.db }' });
    const at = (options: Partial<LoadConfigOptions>) =>
      loadConfig({ folder, env: {}, path: 'etc/qm.yaml', ...options }).store.location;
    expect(at({})).toEqual({ path: join(folder, 'etc/a.db') });
    expect(at({ flags: { store: 'b.db' } })).toEqual({ path: join(folder, 'b.db') });
    expect(loadConfig({ folder, env: { QUARTERMASTER_CONFIG: 'etc/qm.yaml' } }).files).toEqual([
      join(folder, 'etc/qm.yaml'),
    ]);
  });

  it('ENABLE_TOOL_SEARCH decides the rule and leaves limits and pins', () => {
    const tools = 'tools: { tool_search: { max_search_limit: 7 }, pins: [a] }';
    expect(load(tools, { env: { ENABLE_TOOL_SEARCH: 'auto:5' } }).tools.gate).toEqual({
      rule: { kind: 'share', percent: 5, comparison: 'exceeds' },
      search: { defaultLimit: 5, maxLimit: 7 },
      pins: ['a'],
    });
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

  it('problems name the variable or the flag', () => {
    const env = { QUARTERMASTER_PORT: 'eighty', ENABLE_TOOL_SEARCH: 'yes', DATABASE_URL: 'mysql://ann:hunter2@db/x' };
    expect(problemsOf(() => load(yaml, { env, flags: { deferral: 'atuo' } }))).toEqual([
      'QUARTERMASTER_PORT: listen.port is "eighty"; allowed: a whole number from 0 to 65535',
      'DATABASE_URL: store.url is not usable (it is not shown, because it may be a secret); allowed: an address that begins with postgres://',
      '--deferral: deferral is "atuo"; allowed: as-requested, auto. Did you mean auto?',
      'ENABLE_TOOL_SEARCH: ENABLE_TOOL_SEARCH is "yes"; allowed are true, false, auto, and auto:N with N from 0 to 100',
    ]);
  });
});

describe('mistakes', () => {
  it('are told all at once, each with its line', () => {
    const yaml = `listen:
  prot: 80
  port: 70000
upstreams:
  - models: claude-*
    provider: antropic
  - provider: openai
    modles: [a]
    toolSearch: loacl
    apiKey: \${NO_SUCH}
mcpServers:
  empty: {}
  both:
    command: [npx]
    args: { a: 1 }
tools:
  tool_search: { treshold_pct: 5, search_default_limit: 30 }
deferal: auto
keys:
  - name: a
  - key: x
`;
    expect(problemsOf(() => load(yaml))).toEqual([
      `quartermaster.yaml:10: upstreams[1].apiKey needs the environment variable NO_SUCH, which is not set; set it, or write \${NO_SUCH:-default}`,
      expect.stringMatching(
        /^quartermaster\.yaml:18: deferal is no setting\. Did you mean deferral\? The settings here are listen, store, /,
      ),
      'quartermaster.yaml:2: listen.prot is no setting. Did you mean port? The settings here are host, port, publicUrl',
      'quartermaster.yaml:3: listen.port is 70000; allowed: a whole number from 0 to 65535',
      'quartermaster.yaml:5: upstreams[0].models is "claude-*"; allowed: a list, in [ ] or with a dash before each entry',
      expect.stringMatching(
        /^quartermaster\.yaml:6: upstreams\[0\]\.provider is "antropic"; allowed: anthropic, .*Did you mean anthropic\?$/,
      ),
      expect.stringMatching(/^quartermaster\.yaml:8: upstreams\[1\]\.modles is no setting\. Did you mean models\?/),
      'quartermaster.yaml:7: upstreams[1] lacks models: Names of models that it serves, * standing for any text.',
      'quartermaster.yaml:9: upstreams[1].toolSearch is "loacl"; allowed: local, upstream. Did you mean local?',
      'quartermaster.yaml:12: mcpServers.empty has neither command nor url: give one of them',
      'quartermaster.yaml:14: mcpServers.both.command is a list; allowed: a text',
      'quartermaster.yaml:15: mcpServers.both.args is a block; allowed: a list, in [ ] or with a dash before each entry',
      expect.stringMatching(
        /^quartermaster\.yaml:17: tools\.tool_search\.treshold_pct is no setting\. Did you mean threshold_pct\?/,
      ),
      'quartermaster.yaml:17: tools.tool_search.search_default_limit is 30; allowed: a number from 1 to 20',
      'quartermaster.yaml:20: keys[0] has neither key nor hash: give one of them',
      'quartermaster.yaml:21: keys[1] lacks name: For people to tell keys apart.',
    ]);
  });

  it('that only show in the whole of a block are told with the block', () => {
    const yaml = `upstreams:
  - models: []
    provider: anthropic
  - models: ["*"]
    provider: openai-compatible
mcpServers:
  both: { command: npx, url: "https://example.com" }
`;
    expect(problemsOf(() => load(yaml))).toEqual([
      'quartermaster.yaml:2: upstreams[0].models names no model; ["*"] stands for all',
      'quartermaster.yaml:4: upstreams[1] lacks baseUrl: the address of its host, as http://127.0.0.1:11434/v1',
      'quartermaster.yaml:7: mcpServers.both has both command and url: give one of them',
    ]);
  });

  it('a key with nothing behind it is as good as none, and never a reason to leave an entry out', () => {
    const yaml = `upstreams:
  - { models: , provider: openai }
  - { models: [a], provider: openai-compatible, baseUrl: }
keys:
  - { name: a, key: }
  - { name: , key: b }
`;
    expect(problemsOf(() => load(yaml))).toEqual([
      'quartermaster.yaml:2: upstreams[0] lacks models: Names of models that it serves, * standing for any text.',
      'quartermaster.yaml:3: upstreams[1] lacks baseUrl: the address of its host, as http://127.0.0.1:11434/v1',
      'quartermaster.yaml:5: keys[0] has neither key nor hash: give one of them',
      'quartermaster.yaml:6: keys[1] lacks name: For people to tell keys apart.',
    ]);
  });

  it('two keys with one secret are told with both their names, and without the secret', () => {
    const yaml = `keys:
  - { name: laptop, key: "\${ONE}" }
  - { name: other, key: another }
  - { name: server, hash: 2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE }
`;
    expect(problemsOf(() => load(yaml, { env: { ONE: 'foo' } }))).toEqual([
      'quartermaster.yaml:4: keys[2] ("server") has the same secret as keys[0] ("laptop"): give each its own',
    ]);
  });

  it('carry the code, the path and the line for programs too', () => {
    expect(() => load('listen:\n  port: -1')).toThrow(
      expect.objectContaining({
        code: 'invalid_setting',
        problems: [
          expect.objectContaining({
            line: 2,
            path: 'listen.port',
            source: expect.stringContaining('quartermaster.yaml'),
          }),
        ],
      }),
    );
  });

  it.each([
    ['a document that is a list', '- a', /1: The document is a list; allowed: a block with listen, /],
    ['broken YAML', 'a: [b\nc: d', /:\d: The document is not valid YAML: /],
    ['a key given twice', 'listen: {}\nlisten: {}', /:2: The document is not valid YAML: Map keys must be unique/],
    ['an alias without its anchor', 'listen: *nowhere', /The (document|file) /],
    ['aliases that explode', aliasBomb(), /alias/i],
    ['nesting without end', 'a: '.padEnd(3000, '[') + ']'.repeat(2997), /deep|stack/],
  ])('of form are told: %s', (_, yaml, message) => {
    expect(() => load(yaml)).toThrow(message);
    expect(() => load(yaml)).toThrow(ConfigError);
  });

  it('a file that is named must be there', () => {
    expect(() => load(undefined, { path: 'missing.yaml' })).toThrow(/missing\.yaml: The file can't be read: ENOENT/);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a key where a provider belongs', 'upstreams: [{ models: [a], provider: sk-ant-0123456789abcdefghij }]', {}],
    ['a variable that holds a key', `listen: { port: "\${KEY}" }`, { KEY: 'sk-ant-0123456789abcdefghij' }],
    [
      'a key that is no text',
      'upstreams: [{ models: [a], provider: openai, apiKey: [sk-ant-0123456789abcdefghij] }]',
      {},
    ],
    ['a misspelt field', 'upstreams: [{ models: [a], provider: openai, apikey: sk-ant-0123456789abcdefghij }]', {}],
    [
      'an address',
      'upstreams: [{ models: [a], provider: openai, baseUrl: "ftp://u:sk-ant-0123456789abcdefghij@h/" }]',
      {},
    ],
    [
      'a header',
      'mcpServers: { a: { url: "http://h", headers: { Authorization: [sk-ant-0123456789abcdefghij] } } }',
      {},
    ],
    ['an encryption key', 'store: { encryptionKey: sk-ant-0123456789abcdefghij }', {}],
    ['a hash', 'keys: [{ name: a, hash: sk-ant-0123456789abcdefghij }]', {}],
    ['broken YAML', 'upstreams: [{ apiKey: "sk-ant-0123456789abcdefghij" ]', {}],
    ['text after the end', 'a: "b" sk-ant-0123456789abcdefghij\n', {}],
  ])('never repeat a secret: %s', (_, yaml, env) => {
    const problems = problemsOf(() => load(yaml, { env }));
    expect(problems).not.toEqual([]);
    expect(problems.join('\n')).not.toContain('sk-ant');
  });

  it('hostile names are only names', () => {
    const yaml = 'mcpServers:\n  __proto__: { command: a }\n  constructor: { url: "http://h" }\n';
    const { mcpServers } = load(yaml);
    expect(Object.keys(mcpServers)).toEqual(['__proto__', 'constructor']);
    expect(problemsOf(() => load('__proto__: { listen: 1 }'))).toEqual([
      expect.stringContaining('__proto__ is no setting'),
    ]);
  });
});

describe('files of other programs', () => {
  const files = {
    '.mcp.json': JSON.stringify(
      {
        other: { setting: true },
        mcpServers: {
          github: {
            command: 'npx',
            args: ['-y', 'x'],
            env: { TOKEN: `\${GITHUB_TOKEN:-none}` },
            autoApprove: ['a'],
            timeout: 5,
          },
          shared: { type: 'http', url: 'https://one.example.com' },
        },
      },
      null,
      '\t',
    ),
    'vscode.json': `{ "servers": { "shared": { "url": "https://two.example.com" }, "last": { "type": "stdio", "command": "\${env:CMD}" } } }`,
  };

  it('are read as they are; the first one that names a server wins', () => {
    const yaml = 'mcpConfig: [.mcp.json, vscode.json]\nmcpServers: { github: { command: mine } }';
    const config = load(yaml, { files, env: { CMD: 'run' } });
    expect(config.mcpServers).toEqual(
      Object.assign(Object.create(null), {
        github: { command: 'mine' },
        shared: { type: 'http', url: 'https://one.example.com' },
        last: { type: 'stdio', command: 'run' },
      }),
    );
    expect(config.files).toHaveLength(3);
  });

  it.each<[string, object, object]>([
    ['Cline', { type: 'streamableHttp', url: 'https://h/mcp' }, { type: 'streamable-http', url: 'https://h/mcp' }],
    ['others', { type: 'streamable_http', url: 'https://h/mcp' }, { type: 'streamable-http', url: 'https://h/mcp' }],
    ['Gemini CLI', { httpUrl: 'https://h/mcp' }, { type: 'http', url: 'https://h/mcp' }],
    ['Windsurf', { serverUrl: 'https://h/mcp' }, { url: 'https://h/mcp' }],
    ['an editor of forms', { command: 'run', url: '' }, { command: 'run' }],
    ['a program that says local', { type: 'local', command: 'run' }, { type: 'stdio', command: 'run' }],
  ])('a server as %s writes it', (_, entry, expected) => {
    const given = { '.mcp.json': JSON.stringify({ mcpServers: { a: entry } }) };
    const { mcpServers } = load(undefined, { files: given, flags: { mcpConfig: ['.mcp.json'] } });
    expect(mcpServers.a).toEqual(expected);
  });

  it('may have comments, another name for the block, and servers that are off, whose variables nobody sets', () => {
    const text = `// mine
{ /* Zed */ "context_servers": {
  "off": { "command": "a", "disabled": true, "env": { "A": "\${NOT_SET}" } },
  "out": { "command": "a", "enabled": false, "args": ["\${NOT_SET}"] },
  "on": { "url": "https://h/mcp//x", "headers": { "Quote": "a \\" // b" } }, // here
} }`;
    const { mcpServers } = load(undefined, { files: { 'a.json': text }, flags: { mcpConfig: ['a.json'] } });
    expect(mcpServers).toEqual(
      Object.assign(Object.create(null), { on: { url: 'https://h/mcp//x', headers: { Quote: 'a " // b' } } }),
    );
    const wrong = text.replace('https:', 'ftp:');
    const problems = problemsOf(() =>
      load(undefined, { files: { 'a.json': wrong }, flags: { mcpConfig: ['a.json'] } }),
    );
    expect(problems[0]).toMatch(/a\.json:5: /);
  });

  it('are named by flag too', () => {
    const config = load(undefined, { files, flags: { mcpConfig: ['.mcp.json'] }, env: {} });
    expect(config.mcpServers).toMatchObject({ github: { env: { TOKEN: 'none' } } });
  });

  it('have their own lines in problems, together with those of the main file', () => {
    const bad = '{\n  "mcpServers": {\n    "a": { "command": "" },\n    "b": { "url": "ws://x" }\n  }\n}';
    const run = () =>
      load('mcpConfig: [a.json, b.json, c.json]\ndeferral: x', { files: { 'a.json': bad, 'b.json': '{}' } });
    expect(problemsOf(run)).toEqual([
      expect.stringContaining('quartermaster.yaml:2: deferral is "x"'),
      'a.json:3: mcpServers.a.command is empty; allowed: a text of at least one character',
      'a.json:4: mcpServers.b.url is "ws://x"; allowed: an address that begins with http:// or https://',
      'b.json: The document has neither mcpServers nor servers',
      expect.stringMatching(/^c\.json: The file can't be read: ENOENT/),
    ]);
  });
});
