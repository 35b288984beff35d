import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { query, rehearsal } from '@quartermaster/agent';
import { createToolbox, EMPTY_MEMORY } from '@quartermaster/core';
import { tool as aiTool, jsonSchema } from 'ai';
import { transformWithOxc } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCommand, temporaryFolder } from '../packages/cli/src/serving/running-command.fixture.ts';
import { startPostgres } from '../packages/host/src/store/embedded-postgres.fixture.ts';
import { codeBlocks } from './document-blocks.fixture.ts';

/** Blocks that are only compiled: in their package, as tests, on stdin and stdout, or with a package that is not installed. */
const NOT_RUN = /from '\.\/|describeSearcher|serveStdio|@ai-sdk\/cohere/;

type Names = Readonly<Record<string, unknown>>;

const documents = new Map<string, { place: string; text: string }[]>();
for (const { language, place, text } of codeBlocks()) {
  const document = place.replace(/:\d+$/, '');
  if (language === 'ts') documents.set(document, [...(documents.get(document) ?? []), { place, text }]);
}

describe('TypeScript in documents runs against a gateway with the mock model', () => {
  it('in every document', async () => {
    const { url, folder } = await startGateway();
    const database = await startPostgres();
    onTestFinished(() => database.stop());
    const { url: databaseUrl } = await database.createPlace();
    const modelUrl = await serveModel();
    let run = 0;
    const failed: string[] = [];
    for (const blocks of documents.values()) {
      // Later blocks of a document use what earlier ones declare and import.
      let known: Names = { ...(await surroundings(url)), modelUrl };
      for (const { place, text } of blocks) {
        if (NOT_RUN.test(text)) continue;
        const own = namesFor(text);
        try {
          const declared = await runBlock(adapt(text, { url, folder, databaseUrl }), {
            ...known,
            ...own,
          });
          if (/^const options = /m.test(text)) await runQuery(declared.options as object);
          known = { ...known, ...declared };
          run += 1;
        } catch (error) {
          failed.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
    expect(failed).toEqual([]);
    expect(run).toBeGreaterThan(30);
  }, 120_000);
});

async function startGateway() {
  const folder = temporaryFolder();
  const gateway = startCommand(['serve', '--port', '0', '--log', 'none', '--store', ':memory:'], { cwd: folder });
  const url = /http:\/\/[\w.:]+/.exec(await gateway.until('Ctrl+C'))?.[0] ?? '';
  const variables = {
    ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url },
  };
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  return { url, folder };
}

/** The address of the model's file, as a page in a browser would have it. */
async function serveModel(): Promise<string> {
  const bytes = readFileSync(createRequire(import.meta.url).resolve('@quartermaster/semantic/model'));
  const server = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const FILESYSTEM = createRequire(new URL('../packages/cli/src/index.ts', import.meta.url)).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);

/** The same block with addresses and programs that are there, and without loops that never end. */
function adapt(
  text: string,
  { url, folder, databaseUrl }: { readonly url: string; readonly folder: string; readonly databaseUrl: string },
): string {
  return text
    .replace(/http:\/\/127\.0\.0\.1:8787|https:\/\/tracker\.example\.com/g, url)
    .replace('http://localhost:11434/v1', `${url}/v1`)
    .replace(
      /command: 'npx', args: \['-y', '@modelcontextprotocol\/server-filesystem', '\.'\]/,
      `command: process.execPath, args: [${JSON.stringify(FILESYSTEM)}, ${JSON.stringify(folder)}]`,
    )
    .replace("process.env.DATABASE_URL ?? ''", JSON.stringify(databaseUrl))
    .replace('{ url: DATABASE_URL }', "{ path: ':memory:' }")
    .replace(', resume: sessionId }', ' }')
    .replace("path: 'vectors.sqlite'", "path: ':memory:'")
    .replace(/^for await .*gateway\.follow\(\).*$/m, '');
}

/** Runs a block with these names around it, and returns what it declares and imports. */
async function runBlock(text: string, names: Names): Promise<Names> {
  const imports = [...text.matchAll(/^import (type )?(?:(\w+)|\{([^}]+)\}) from '([^']+)';$/gm)];
  const loaded: Record<string, unknown> = {};
  for (const [, isType, whole, list = '', module = ''] of imports) {
    if (isType !== undefined) continue;
    const found = (await import(/* @vite-ignore */ module)) as Record<string, unknown>;
    if (whole !== undefined) loaded[whole] = found.default;
    for (const name of list
      .split(',')
      .map((one) => one.trim())
      .filter((one) => !/^(type |$)/.test(one))) {
      loaded[name] = found[name];
    }
  }
  const body = text.replace(/^import [^;]*;$/gm, '');
  const { code } = await transformWithOxc(`${body}\nexport {};`, 'block.ts');
  const declared = namesDeclaredIn(body);
  const compiled = compileFunction(
    `return (async () => { ${code.replace(/^export \{\s*\};?$/m, '')}\nreturn { ${declared.join(', ')} }; })()`,
    [],
    { contextExtensions: [{ ...names, ...loaded }] },
  );
  return { ...loaded, ...((await compiled()) as Names) };
}

/** At the top level of a block. */
function namesDeclaredIn(text: string): readonly string[] {
  return [...text.matchAll(/^const (?:(\w+)\b|\{([^}[\]]+)\} =)/gm)].flatMap(([, name, list = '']) =>
    name !== undefined ? [name] : list.split(',').map((one) => one.split('=')[0]?.split(':').at(-1)?.trim() ?? ''),
  );
}

/** Options of the agent are right if a run with them ends. */
async function runQuery(options: object): Promise<void> {
  const kinds: string[] = [];
  for await (const { type } of query({ prompt: 'Add 1 and 2', options: { ...options, upstream: rehearsal() } })) {
    kinds.push(type);
  }
  expect(kinds.at(-1)).toBe('result');
}

/** What the text around blocks introduces. */
async function surroundings(url: string): Promise<Names> {
  const { askModel, tools } = await import(join('..', 'examples', 'plain', 'scripted-model.mjs'));
  const execute = ({ name }: { readonly name: string }) => `${name}: done`;
  const toolbox = createToolbox({ tools, execute });
  const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array([1, 0]));
  return {
    ...{ AbortSignal, fetch, console: { log: () => undefined, warn: () => undefined } },
    process: { ...{ env: process.env, execPath: process.execPath }, stdout: { write: () => true } },
    ...{ tools, execute, toolbox, plan: toolbox.plan(), memory: EMPTY_MEMORY, askModel },
    ...{ model: 'claude-opus-4-7', max_tokens: 100, messages: [{ role: 'user', text: 'The weather in Oslo?' }] },
    ...{
      baseURL: url,
      apiKey: 'k',
      anyModel: createAnthropic({ apiKey: 'k', baseURL: `${url}/v1` })('claude-opus-4-7'),
    },
    ...{ call: { id: 'call_1', name: 'tool_search', arguments: { query: 'weather' } } },
    ...{ inputSchema: { type: 'object', properties: { city: { type: 'string' } } }, weatherOf: () => 'rain' },
    ...{ log: () => undefined, askUser: () => true, withoutSecrets: (text: string) => text, readOnly: () => true },
    ...{ myModel: () => undefined, openInBrowser: async () => `${url}/callback?code=1`, sessionId: 'none' },
    ...{ options: { upstream: rehearsal() }, anthropic: new Anthropic({ apiKey: 'k', baseURL: url }) },
    ...{ embeddingModel: { id: 'one', dimensions: 2, embed }, rerankingModel: { modelId: 'none' } },
    findTools: { name: 'find_tools', description: 'Finds tools', input_schema: { type: 'object' } },
  };
}

/** Tools and messages in the format of the SDK that a block uses. */
function namesFor(text: string): Names {
  const user = [{ role: 'user', content: 'What is the weather in Oslo?' }];
  const schema = { type: 'object', properties: { city: { type: 'string' } } } as const;
  if (text.includes('wires/openai-chat')) {
    const fn = { name: 'get_weather', description: 'The weather of a city', parameters: schema };
    return { messages: user, tools: [{ type: 'function', function: fn }], model: 'gpt-5' };
  }
  if (text.includes('wires/anthropic')) {
    const tools = [{ name: 'get_weather', description: 'Weather', input_schema: schema }];
    return { messages: user, tools, model: 'claude-opus-4-7' };
  }
  if (text.includes("from 'ai'")) {
    const get_weather = aiTool({ description: 'Weather', inputSchema: jsonSchema(schema), execute: () => 'rain' });
    return { tools: { get_weather } };
  }
  return {};
}
