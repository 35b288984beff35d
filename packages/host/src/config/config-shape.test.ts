import { readFileSync } from 'node:fs';
import type { Json } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkValue } from '../schema/index.ts';
import { CONFIG_SHAPE, configJsonSchema } from './config-shape.ts';

const published = JSON.parse(readFileSync(new URL('../../quartermaster.schema.json', import.meta.url), 'utf8'));

/** What the reader has against a document, variables left as they stand. */
function isRead(document: unknown): boolean {
  let problems = 0;
  CONFIG_SHAPE.read(document, {
    path: [],
    ignoresUnknownKeys: false,
    template: () => undefined,
    report() {
      problems += 1;
    },
  });
  return problems === 0;
}

function fitsSchema(document: Json): boolean {
  return checkValue(published, document).kind === 'good';
}

describe('the JSON Schema for editors', () => {
  it('is generated from the reader (write configJsonSchema() into quartermaster.schema.json after a change)', () => {
    expect(published).toEqual(configJsonSchema());
  });

  it.each([
    '{}',
    'listen: { host: localhost, port: 0 }',
    'store: { path: a.db, encryptionKey: [abababababababababababababababababababababababababababababababab] }',
    'store: { url: "postgresql://h/d" }',
    'upstreams: [{ models: ["*"], provider: rehearsal }]',
    'upstreams: [{ models: ["*"], provider: anthropic, headers: { x-team: a }, forwardsAuthorization: true, mcpConnector: upstream }]',
    'mcp: { form: load, contextTokens: 8192, sessions: true, origins: ["https://a.example"], connector: { enabled: false, allow: ["http://127.0.0.1:9000", "https://*.a.example/mcp"] } }',
    'keys: [{ name: a, key: b, tools: { allow: ["github/*"], deny: ["*/delete_*"] } }]',
    'upstreams: [{ models: ["*"], provider: openai, baseUrl: "https://h/v1", references: false, contextTokens: 1 }]',
    'mcpServers: { a: { command: x, args: [1, b], env: { A: "" } }, b: { url: "http://h", oauth: true, disabled: false } }',
    'tools: { tool_search: false, pins: [a], policies: { "a/*": never } }',
    'tools: { tool_search: { enabled: off, threshold_pct: 2.5 } }',
    'keys: [{ name: a, key: b, limits: { tokensPerMinute: 0 } }]',
    'search: { engine: hybrid+reranker, whenNothingFits: best }',
    'limits: { upstreamRetries: 0 }',
    'keys: [{ name: a, hash: abababababababababababababababababababababababababababababababab }]',
    'upstreams: [{ models: [a], provider: openai-compatible, baseUrl: "http://127.0.0.1:11434/v1" }]',
  ])('accepts what is read: %s', (yaml) => {
    expect({ read: isRead(parse(yaml)), schema: fitsSchema(parse(yaml)) }).toEqual({ read: true, schema: true });
  });

  it.each([
    '[]',
    'listne: {}',
    'listen: { port: 65536 }',
    'listen: { port: "80" }',
    'listen: { host: "" }',
    'store: { url: "mysql://h" }',
    'upstreams: [{ models: ["*"] }]',
    'upstreams: [{ models: "*", provider: openai }]',
    'upstreams: [{ models: ["*"], provider: nobody }]',
    'upstreams: [{ models: ["*"], provider: openai, baseUrl: "ftp://h" }]',
    'mcpServers: { a: {} }',
    'mcpServers: { a: { command: x, timeout: 5 } }',
    'tools: { tool_search: on }',
    'tools: { tool_search: { threshold_pct: 101 } }',
    'tools: { policies: { a: sometimes } }',
    'search: { engine: regex }',
    'keys: [{ key: b }]',
    'keys: [{ name: a }]',
    'keys: [{ name: a, key: b, hash: abababababababababababababababababababababababababababababababab }]',
    'upstreams: [{ models: [], provider: openai }]',
    'upstreams: [{ models: [a], provider: openai-compatible }]',
    'keys: [{ name: a, key: b, tools: ["github/*"] }]',
    'mcp: { form: stub }',
    'mcp: { contextTokens: 0 }',
    'mcp: { connector: { allow: ["mcp.example.com"] } }',
    'mcp: { connector: { allow: ["https://user@mcp.example.com"] } }',
    'upstreams: [{ models: ["*"], provider: openai, headers: [a] }]',
    'limits: { bodyBytes: 1 }',
  ])('refuses what is not read: %s', (yaml) => {
    expect({ read: isRead(parse(yaml)), schema: fitsSchema(parse(yaml)) }).toEqual({ read: false, schema: false });
  });

  it.each([
    `listen: { port: "\${PORT}" }`,
    `deferral: "\${DEFERRAL:-auto}"`,
    `upstreams: [{ models: ["*"], provider: openai, baseUrl: "\${URL}", references: "\${R}" }]`,
  ])('allows variables for numbers and choices: %s', (yaml) => {
    expect(fitsSchema(parse(yaml))).toBe(true);
  });

  it('describes every setting', () => {
    const undescribed = settingsOf(published, '').filter(({ description }) => description === undefined);
    expect(undescribed).toEqual([]);
  });
});

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
}

function settingsOf(
  node: SchemaNode,
  path: string,
): { readonly path: string; readonly description: string | undefined }[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
    { path: `${path}.${key}`, description: child.description },
    ...settingsOf(child, `${path}.${key}`),
  ]);
  const inner = [node.items, node.additionalProperties, ...(node.anyOf ?? [])].flatMap((child) =>
    typeof child === 'object' ? settingsOf(child, path) : [],
  );
  return [...own, ...inner];
}
