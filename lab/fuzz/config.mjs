// Settings with parts changed, as YAML, as JSON and as damaged text: each is read, or refused with the list of what is wrong.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '@quartermaster/host/config';
import { mutate, mutateBytes } from './random.mjs';

const SETTINGS = {
  listen: { host: '127.0.0.1', port: 8787 },
  upstreams: [
    { models: ['claude-*'], provider: 'anthropic', apiKey: 'none', baseUrl: 'http://127.0.0.1:9', toolSearch: 'local' },
    { models: ['*'], provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', contextTokens: 1000 },
  ],
  keys: [{ name: 'team', key: 'secret', role: 'publisher', limits: { requestsPerMinute: 5, searchesPerMinute: 9 } }],
  mcpServers: {
    one: { command: 'node', args: ['x.js'], env: { A: 'b' } },
    two: { url: 'http://127.0.0.1:9/mcp', headers: { a: 'b' } },
  },
  tools: { tool_search: { search_default_limit: 5 }, policies: { 'one/*': 'never' } },
  search: { engine: 'hybrid', cache: { diskBytes: 1000 } },
  limits: { bodyBytes: 100_000, queryLength: 100, indexCacheBytes: 1_000_000 },
  transcripts: { keep: 'memory' },
  store: { path: ':memory:' },
};

export async function fuzz(random, count) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-fuzz-'));
  const path = join(folder, 'quartermaster.yaml');
  const problems = [];
  let read = 0;
  try {
    for (let done = 0; done < count; done += 1) {
      const text = Buffer.from(JSON.stringify(mutate(random, SETTINGS)));
      writeFileSync(path, random.isOne(4) ? mutateBytes(random, text) : text);
      try {
        loadConfig({ path, env: {} });
        read += 1;
      } catch (error) {
        if (!(error instanceof ConfigError))
          problems.push(`${readFileSync(path, 'utf8').slice(0, 2_000)}: ${error?.stack}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { cases: count, problems, note: `${read} were read` };
}
