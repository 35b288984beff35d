// Rows that install things: runtimes, other majors of peers, and checkers of packages.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, readModelBytes } from './bundles.mjs';

const PLATFORM = `${process.platform}-${process.arch}`;

export function longRows({ project, root, tarballs, packed, run, npm }) {
  const tools = join(project, 'tools');
  const semantic = (answer) => {
    const { engine } = JSON.parse(answer);
    if (engine !== 'hybrid') throw new Error(`it searched with ${engine}`);
    return 'finds by meaning';
  };
  return [
    { name: 'install', check: install },
    { name: 'publint', check: () => each((folder) => run(bin('publint'), [folder, '--strict'])) },
    {
      name: 'attw',
      check: () =>
        each((_, tarball) => run(bin('attw'), [tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'model'])),
    },
    { name: 'types', check: checkTypes },
    ...['20', '22', '24'].map((major) => ({
      name: `node-${major}`,
      check: () => semantic(run(node(major), ['main.mjs'])),
    })),
    { name: 'bun', check: () => semantic(run(binary('bun', BUN[PLATFORM], 'bin/bun'), ['main.mjs'])) },
    { name: 'deno', check: () => semantic(run(binary('deno', DENO[PLATFORM], 'deno'), ['run', '-A', 'main.mjs'])) },
    { name: 'workerd', check: checkWorkerd },
    ...[6, 7].map((major) => ({ name: `ai-${major}-openai-${major}`, check: () => checkPeers(major) })),
    { name: 'agent', check: checkAgent },
  ];

  function install() {
    npm(project, 'install', ...tarballs, 'zod@4');
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'package.json'), '{ "private": true }\n');
    npm(tools, 'install', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5');
    const size = run('du', ['-sm', 'node_modules']).split('\t')[0];
    return `${readdirSync(join(project, 'node_modules')).length} folders, ${size} MB`;
  }

  function each(check) {
    for (const tarball of packed) {
      const folder = join(project, 'unpacked', basename(tarball, '.tgz'));
      mkdirSync(folder, { recursive: true });
      run('tar', ['xzf', tarball, '-C', folder]);
      check(join(folder, 'package'), tarball);
    }
    return `${packed.length} packages`;
  }

  function checkTypes() {
    const files = [
      ...['core', ...CORE_ENTRIES.map((entry) => `core/${entry}`)],
      'client',
      'semantic',
      'wires/ai-sdk',
      'wires/anthropic',
      'wires/openai-chat',
      'wires/openai-responses',
      'agent',
      'mcp',
    ];
    npm(project, 'install', 'ai@6', 'openai@6', '@anthropic-ai/sdk@1', '@types/node@20');
    writeFileSync(
      join(project, 'types.ts'),
      files.map((file, index) => `export * as m${index} from '@quartermaster/${file}';`).join('\n'),
    );
    checkTypesIn(project, ['types.ts']);
    return `${files.length} entries with skipLibCheck: false`;
  }

  function checkTypesIn(folder, files) {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  }

  async function checkWorkerd() {
    const workerd = binary('workerd', WORKERD[PLATFORM], 'bin/workerd');
    const conditionNames = ['workerd', 'worker', 'import'];
    const code = await bundle(project, {
      input: 'worker.mjs',
      format: 'esm',
      platform: 'browser',
      conditionNames,
      external: ['model.bin'],
    });
    const folder = join(project, 'worker');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'worker.js'), code);
    writeFileSync(join(folder, 'model.bin'), readModelBytes(project));
    writeFileSync(join(folder, 'config.capnp'), WORKERD_CONFIG);
    const answer = JSON.parse(
      run(process.execPath, [join(root, 'scripts/runtimes/serve-workerd.mjs'), workerd, folder]),
    );
    if (answer.words?.engine !== 'bm25' || answer.meaning?.engine !== 'hybrid') throw new Error(JSON.stringify(answer));
    return 'by words alone, and by meaning with the model handed in';
  }

  function checkPeers(major) {
    const folder = join(project, `peers-${major}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    npm(folder, 'install', `ai@${major}`, `openai@${major}`);
    npm(
      folder,
      'install',
      '@types/node@20',
      ...tarballs.filter((tarball) => /-(core|semantic|wires|host)-/.test(tarball)),
    );
    writeFileSync(join(folder, 'peers.mjs'), PEERS);
    writeFileSync(join(folder, 'wrapped.ts'), WRAPPED);
    checkTypesIn(folder, ['wrapped.ts']);
    return run(major === 7 ? node('22') : process.execPath, ['peers.mjs'], { cwd: folder }).trim();
  }

  /** In a folder of its own, since its size is what users install for it. */
  function checkAgent() {
    const folder = join(project, 'agent');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const needed = tarballs.filter((tarball) => /-(core|semantic|wires|host|mcp|agent)-/.test(tarball));
    npm(folder, 'install', ...needed, 'zod@4');
    writeFileSync(join(folder, 'agent.mjs'), AGENT);
    const answer = run(process.execPath, ['agent.mjs'], { cwd: folder }).trim();
    if (!answer.includes('42')) throw new Error(answer);
    const drivers = readdirSync(join(folder, 'node_modules')).filter((name) => name === 'pg' || name === 'libsql');
    if (drivers.length > 0) throw new Error(`it installed ${drivers.join(', ')}`);
    const megabytes = Number(run('du', ['-sm', 'node_modules'], { cwd: folder }).split('\t')[0]);
    if (megabytes > MOST_AGENT_MEGABYTES) {
      throw new Error(`it installs ${megabytes} MB, more than ${MOST_AGENT_MEGABYTES}`);
    }
    return `answers, without a database driver, and installs ${megabytes} MB`;
  }

  function node(major) {
    return binary(
      `node-${major}`,
      `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@${major}`,
      'bin/node',
    );
  }

  /** Runtimes come as packages for one platform each, which need no install script. */
  function binary(name, spec, path) {
    if (spec === undefined) throw new Error(`no package for ${PLATFORM} is known`);
    const folder = join(project, 'runtimes', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    npm(folder, 'install', '--ignore-scripts', spec);
    return join(folder, 'node_modules', spec.replace(/(?<=.)@.*/, ''), path);
  }

  function bin(name) {
    return join(tools, 'node_modules/.bin', name);
  }
}

const MOST_AGENT_MEGABYTES = 60;

const CORE_ENTRIES = [
  'catalog',
  'gate',
  'search',
  'regex',
  'disclosure',
  'dispatch',
  'loop',
  'run',
  'errors',
  'testing',
];

const BUN = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
};
const DENO = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-arm64': '@deno/darwin-arm64',
};
const WORKERD = {
  'linux-x64': '@cloudflare/workerd-linux-64',
  'linux-arm64': '@cloudflare/workerd-linux-arm64',
  'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
};

const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "model.bin", data = embed "model.bin")],
  compatibilityDate = "2026-01-01",
);
`;

/** As the guide has it, for the types of both majors. */
const WRAPPED = `
import { generateText, stepCountIs, wrapLanguageModel } from 'ai';
import { rehearsalModel } from '@quartermaster/host/upstream';
import { toolSearchMiddleware } from '@quartermaster/wires/ai-sdk';
const model = wrapLanguageModel({ model: rehearsalModel(), middleware: toolSearchMiddleware() });
export const { text } = await generateText({ model, tools: {}, prompt: 'Hi', stopWhen: stepCountIs(10) });
`;

const PEERS = `
import { readFileSync } from 'node:fs';
import { jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { readEnableToolSearch } from '@quartermaster/core';
import { rehearsalModel } from '@quartermaster/host/upstream';
import { withToolSearch } from '@quartermaster/wires/openai-chat';
import { toolSearchMiddleware } from '@quartermaster/wires/ai-sdk';
const version = (name) => JSON.parse(readFileSync(new URL('./node_modules/' + name + '/package.json', import.meta.url))).version;
const middleware = toolSearchMiddleware({ settings: readEnableToolSearch('true') });
const refund = tool({ description: 'Refund a payment', inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: async () => 'Refunded' });
const streamed = streamText({ model: wrapLanguageModel({ model: rehearsalModel(), middleware }), tools: { refund_payment: refund }, prompt: 'Refund a payment', stopWhen: stepCountIs(5) });
const called = [];
for await (const part of streamed.fullStream) {
  if (part.type === 'error') throw part.error;
  if (part.type === 'tool-call') called.push(part.toolName);
}
if (called.join() !== 'tool_search,tool_describe,refund_payment') throw new Error('called ' + called);
const tools = [{ type: 'function', function: { name: 'refund_payment', description: 'Refund a payment', parameters: { type: 'object', properties: {} } } }];
const fetch = async (url, init) => Response.json({ id: 'x', object: 'chat.completion', created: 0, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }] });
const client = withToolSearch(new OpenAI({ apiKey: 'x', baseURL: 'http://localhost', fetch }));
const answer = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools });
if (answer.choices[0].message.content !== 'hello') throw new Error(JSON.stringify(answer));
console.log('ai ' + version('ai') + ', openai ' + version('openai'));
`;

const AGENT = `
import { createSdkMcpServer, query, rehearsal, tool } from '@quartermaster/agent';
import { z } from 'zod';
const answer = tool('answer_question', 'Answers the question of life', { question: z.string().optional() }, async () => ({ content: [{ type: 'text', text: '42' }] }));
const options = { upstream: rehearsal(), persistSession: false, allowedTools: ['*'], mcpServers: { life: createSdkMcpServer({ name: 'life', tools: [answer] }) } };
for await (const message of query({ prompt: 'Answer the question of life', options })) {
  if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.errors.join());
}
`;
