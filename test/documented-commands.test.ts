import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLES } from '../packages/cli/src/clients/client-files.fixture.ts';
import { runCommand, startCommand, temporaryFolder } from '../packages/cli/src/serving/running-command.fixture.ts';
import { codeBlocks } from './document-blocks.fixture.ts';

/** Every command line of ours in a block, each once, with the first place that has it. */
const commands = new Map<string, string>();
for (const { language, place, text } of codeBlocks()) {
  if (language !== '' && language !== 'sh') continue;
  for (const command of text.split('\n').flatMap(commandsIn)) {
    if (!commands.has(command)) commands.set(command, place);
  }
}

describe('commands in documents', () => {
  it('are many', () => {
    expect(commands.size).toBeGreaterThan(50);
    expect([...commands.keys()].filter((command) => EXEMPT.test(command)).length).toBeLessThan(commands.size / 2);
  });

  it('run, on files of the names that they use', async () => {
    const folder = prepare();
    const gateway = startCommand(['serve', '--port', '0', '--log', 'none', '--store', ':memory:'], { cwd: folder });
    const url = /http:\/\/[\w.:]+/.exec(await gateway.until('Ctrl+C'))?.[0] ?? '';
    const env = {
      ...{ HOME: folder, XDG_CONFIG_HOME: join(folder, '.config'), XDG_DATA_HOME: join(folder, 'data') },
      ...{ PATH: process.env.PATH ?? '', QUARTERMASTER_URL: url, ANTHROPIC_API_KEY: 'a', NO_COLOR: '1' },
      QUARTERMASTER_CONFIG: join(folder, 'quartermaster.yaml'),
    };
    const failed: string[] = [];
    for (const [command, place] of commands) {
      if (EXEMPT.test(command)) continue;
      const { code, err } = await runCommand(argumentsOf(command, folder), env, '');
      // 1 is an answer: nothing found, findings, a difference.
      if (code !== 0 && code !== 1) failed.push(`${place}: ${command}: ${code}: ${err.slice(0, 300)}`);
    }
    expect(failed).toEqual([]);
  }, 240_000);
});

/** These run until they are stopped, need a person, a browser or a real model, or take minutes. */
const EXEMPT =
  /^quartermaster (serve|watch|enrich|mcp (--|login|logout|input|accept|uninstall|$)|init --undo|init$|eval$|mcp install \w+ --file)/;

function commandsIn(line: string): readonly string[] {
  const plain = line.replace(/(?:node )?[^\s"]*packages\/cli\/bin\/quartermaster\.js/g, 'quartermaster');
  const [, command] = /^(?:\w+=\$\()?(quartermaster [^#|>)]+)/.exec(plain) ?? [];
  return command === undefined ? [] : [command.trim()];
}

/** The words of a command, with files in the folder, and with answers to what it would ask. */
function argumentsOf(command: string, folder: string): readonly string[] {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
  const named = words.map((word) => (FILES[basename(word)] === undefined ? word : join(folder, basename(word))));
  const [first, second] = words;
  const isSearch = first === 'search' || first === 'eval';
  return [
    ...named,
    ...(isSearch && !/ (--engine|-e) /.test(command) ? ['--engine', 'hybrid'] : []),
    ...(second === 'install' ? ['--no-cost'] : []),
    ...(second === 'install' && !words.includes('--dry-run') ? ['--yes'] : []),
    // Names of keys are taken only once in a store.
    ...(first === 'keys' && second === 'create' ? ['--store', join(folder, `keys-${command.length}.db`)] : []),
    ...(first === 'init' ? ['--no-cost', '--config', join(folder, 'written.yaml')] : []),
  ];
}

const FILESYSTEM = createRequire(new URL('../packages/cli/src/index.ts', import.meta.url)).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const TOOLS = JSON.stringify([
  { name: 'gmail_send', description: 'Send an email to somebody', inputSchema: { type: 'object', properties: {} } },
  { name: 'create_refund', description: 'Refund a payment to the customer', inputSchema: { type: 'object' } },
]);
const SERVERS = JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [FILESYSTEM, '/tmp'] } } });
const QUERIES = '{"query": "send an email", "relevant": ["gmail_send"]}\n';

/** Files that commands name, by their last part. */
const FILES: Readonly<Record<string, string>> = {
  ...{ 'catalog.json': TOOLS, 'my-tools.json': TOOLS, 'tools.json': TOOLS, 'acme.json': TOOLS, 'a.json': TOOLS },
  ...{ 'queries.jsonl': QUERIES, 'my-queries.jsonl': QUERIES },
  ...{ '.mcp.json': SERVERS, 'servers.json': SERVERS, 'mcp.json': SERVERS },
  ...{
    'quartermaster.yaml': 'mcpConfig: [servers.json]\n',
    'lint.sarif': '',
    'engines.svg': '',
    'suggestions.json': '',
  },
};

function prepare(): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const { path, text } of SAMPLES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
