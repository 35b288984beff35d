import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { load, problemsOf } from './config-folder.fixture.ts';

/** Nine lists of ten aliases of the list before: a thousand million values. */
function aliasBomb(): string {
  const lists = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, names) => {
    const item = index === 0 ? 'x' : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(10).fill(item).join(', ')}]`;
  });
  return lists.join('\n');
}

describe('mistakes', () => {
  it('are reported all at once, each with its line', () => {
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
    command: true
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
        /^quartermaster\.yaml:18: deferal is not a setting\. Did you mean deferral\? The settings here are listen, store, /,
      ),
      'quartermaster.yaml:2: listen.prot is not a setting. Did you mean port? The settings here are host, port, publicUrl',
      'quartermaster.yaml:3: listen.port is 70000; allowed: a whole number from 0 to 65535',
      'quartermaster.yaml:5: upstreams[0].models is "claude-*"; allowed: a list, in [ ] or with a dash before each entry',
      expect.stringMatching(
        /^quartermaster\.yaml:6: upstreams\[0\]\.provider is "antropic"; allowed: anthropic, .*Did you mean anthropic\?$/,
      ),
      expect.stringMatching(/^quartermaster\.yaml:8: upstreams\[1\]\.modles is not a setting\. Did you mean models\?/),
      'quartermaster.yaml:7: upstreams[1] lacks models: Names of the models that it serves; * matches any text.',
      'quartermaster.yaml:9: upstreams[1].toolSearch is "loacl"; allowed: local, upstream. Did you mean local?',
      expect.stringMatching(
        /^quartermaster\.yaml:17: tools\.tool_search\.treshold_pct is not a setting\. Did you mean threshold_pct\?/,
      ),
      'quartermaster.yaml:17: tools.tool_search.search_default_limit is 30; allowed: a number from 1 to 20',
      'quartermaster.yaml:20: keys[0] has neither key nor hash: give one of them',
      'quartermaster.yaml:21: keys[1] lacks name: A name for people to read.',
      'quartermaster.yaml:12: mcpServers.empty has neither command nor url: give one of them',
      'quartermaster.yaml:14: mcpServers.both.command is true; allowed: a text',
      'quartermaster.yaml:15: mcpServers.both.args is a block; allowed: a list, in [ ] or with a dash before each entry',
    ]);
  });

  it('that concern a whole block are reported with the block', () => {
    const yaml = `upstreams:
  - models: []
    provider: anthropic
  - models: ["*"]
    provider: openai-compatible
mcpServers:
  both: { command: npx, url: "https://example.com" }
`;
    expect(problemsOf(() => load(yaml))).toEqual([
      'quartermaster.yaml:2: upstreams[0].models names no model; ["*"] means all',
      'quartermaster.yaml:4: upstreams[1] lacks baseUrl: the address of its host, such as http://127.0.0.1:11434/v1',
      'quartermaster.yaml:7: mcpServers.both has both command and url: give one of them',
    ]);
  });

  it('a key without a value counts as absent, and never disables an entry', () => {
    const yaml = `upstreams:
  - { models: , provider: openai }
  - { models: [a], provider: openai-compatible, baseUrl: }
keys:
  - { name: a, key: }
  - { name: , key: b }
`;
    expect(problemsOf(() => load(yaml))).toEqual([
      'quartermaster.yaml:2: upstreams[0] lacks models: Names of the models that it serves; * matches any text.',
      'quartermaster.yaml:3: upstreams[1] lacks baseUrl: the address of its host, such as http://127.0.0.1:11434/v1',
      'quartermaster.yaml:5: keys[0] has neither key nor hash: give one of them',
      'quartermaster.yaml:6: keys[1] lacks name: A name for people to read.',
    ]);
  });

  it('two keys with one secret are reported with both names, and without the secret', () => {
    const yaml = `keys:
  - { name: laptop, key: "\${ONE}" }
  - { name: other, key: another }
  - { name: server, hash: 2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE }
`;
    expect(problemsOf(() => load(yaml, { env: { ONE: 'foo' } }))).toEqual([
      'quartermaster.yaml:4: keys[2] ("server") has the same secret as keys[0] ("laptop"): give each its own',
    ]);
  });

  it('two keys whose variables are missing are not reported as having one secret', () => {
    const yaml = `keys: [{ name: a, key: "qm-\${ONE}" }, { name: b, key: "qm-\${TWO}" }]`;
    expect(problemsOf(() => load(yaml))).toEqual([
      expect.stringContaining('keys[0].key needs the environment variable ONE'),
      expect.stringContaining('keys[1].key needs the environment variable TWO'),
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
  ])('of form are reported: %s', (_, yaml, message) => {
    expect(() => load(yaml)).toThrow(message);
    expect(() => load(yaml)).toThrow(ConfigError);
  });

  it('a broken JSON file is not called YAML', () => {
    const files = { 'servers.json': '{"mcpServers": {' };
    expect(() => load('mcpConfig: [servers.json]', { files })).toThrow(
      /servers\.json:1: The document is not valid JSON, from column \d+ on$/,
    );
  });

  it('a broken JSON file is reported at the position of the error, not at its end', () => {
    expect(() => load('mcpConfig: [servers.json]', { files: { 'servers.json': '{bad\n\n' } })).toThrow(
      /servers\.json:1: The document is not valid JSON, from column 2 on$/,
    );
  });

  it('a broken JSON file is not broken at a trailing comma before that', () => {
    const text = '{\n  "a": { "b": "x,}", },\n  "c": [1, 2, ],\n  "d": "e" "f"\n}';
    expect(() => load('mcpConfig: [servers.json]', { files: { 'servers.json': text } })).toThrow(
      /servers\.json:4: The document is not valid JSON, from column 12 on$/,
    );
  });

  it('a given file must exist', () => {
    expect(() => load(undefined, { path: 'missing.yaml' })).toThrow(/missing\.yaml: There is no such file$/);
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
      'deferral: x\nmcpServers: { a: { url: "http://h", headers: { Authorization: [sk-ant-0123456789abcdefghij] } } }',
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
      expect.stringContaining('__proto__ is not a setting'),
    ]);
  });
});
