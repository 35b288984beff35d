import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  });

  it('are all of a kind that is checked', () => {
    const scripts = Object.keys(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).scripts);
    const isKnown = (line: string): boolean => {
      const script = /^npm (?:run ([\w:]+)|(start|test))\b/.exec(line);
      if (script !== null) return scripts.includes(script[1] ?? script[2] ?? '');
      const example = /^node (examples\/\S+)/.exec(line)?.[1];
      if (example !== undefined) return existsSync(new URL(`../${example}`, import.meta.url));
      return KNOWN.test(line) || commandsIn(line).length > 0;
    };
    const unknown = codeBlocks()
      .filter(({ language, text }) => (language === '' || language === 'sh') && !DRAWING.test(text))
      .flatMap(({ place, text }) => text.split('\n').map((line) => ({ place, line: line.trim() })))
      .filter(({ line }) => line !== '' && !isKnown(line));
    expect(unknown).toEqual([]);
  });

  it('run, on files of the names that they use', async () => {
    const folder = prepare();
    const served = ['--mcp-config', join(folder, 'behind.json')];
    const gateway = startCommand(['serve', '--port', '0', '--log', 'none', '--store', ':memory:', ...served], {
      cwd: temporaryFolder(),
    });
    const url = /http:\/\/[\w.:]+/.exec(await gateway.until('Ctrl+C'))?.[0] ?? '';
    // A server that needs no sign-in: the gateway itself.
    const { mcpServers } = JSON.parse(SERVERS) as { mcpServers: object };
    const servers = { ...mcpServers, tracker: { type: 'http', url: `${url}/mcp` } };
    writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: servers }));
    const env = {
      ...placesIn(folder),
      ...{ PATH: process.env.PATH ?? '', QUARTERMASTER_URL: url, ANTHROPIC_API_KEY: 'a', NO_COLOR: '1' },
      QUARTERMASTER_CONFIG: join(folder, 'quartermaster.yaml'),
    };
    const failed: string[] = [];
    for (const [command, place] of commands) {
      if (RUNS_ON.test(command)) continue;
      // Each on clients' files that no other command has changed.
      const places = placesIn(/^quartermaster (init|mcp install)/.test(command) ? prepare() : folder);
      const { code, err } = await runCommand(argumentsOf(command, folder), { ...env, ...places }, '');
      // 1 is an answer: nothing found, findings, a difference.
      if (code !== 0 && code !== 1) failed.push(`${place}: ${command}: ${code}: ${err.slice(0, 300)}`);
    }
    for (const line of curlLines) failed.push(...(await runCurl(line, { url, folder })));
    expect(failed).toEqual([]);
  }, 240_000);

  it.each([...commands.keys()].filter((command) => RUNS_ON.test(command)))('%s starts', async (command) => {
    const folder = prepare();
    writeFileSync(join(folder, 'quartermaster.yaml'), SERVED);
    const port = command.startsWith('quartermaster serve') ? ['--port', '0'] : [];
    const env = { QUARTERMASTER_KEY: 'k'.repeat(48), QUARTERMASTER_STORE: ':memory:' };
    if (port.length === 0) {
      const gateway = startCommand(['serve', '--port', '0', '--store', ':memory:'], { cwd: folder, env });
      const url = /http:\/\/[\w.:]+/.exec(await gateway.until('Ctrl+C'))?.[0] ?? '';
      Object.assign(env, { QUARTERMASTER_URL: url });
    }
    const running = startCommand([...argumentsOf(command, folder), ...port], { cwd: folder, env });
    await (port.length === 0 ? running.until('Watching', 'err') : running.until('Ctrl+C'));
  });
});

/** With a key, so that it may listen on other addresses. */
const SERVED =
  'upstreams: [{ models: ["*"], provider: rehearsal }]\nkeys: [{ name: me, key: "$' + '{QUARTERMASTER_KEY}" }]\n';

/** These run until they are stopped. */
const RUNS_ON = /^quartermaster (serve|watch)\b/;

/** Lines for other programs: shells, npm itself, and Claude Code, whose servers test/clients.test.ts checks. */
const KNOWN =
  /^(#|alias quartermaster=|export \w+=|mkdir \S+$|npm pack |npm install \S+|claude mcp add |curl |QUARTERMASTER_KEY=)/;

/** Pictures in characters, and another program's settings. */
const DRAWING = /──|^backend /m;

const curlLines = codeBlocks().flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('curl ')));

/** Makes the request of a curl command, so that no curl has to be there. */
async function runCurl(line: string, { url, folder }: { readonly url: string; readonly folder: string }) {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, plain]) => one ?? two ?? plain ?? '',
  );
  const after = (flag: string): readonly string[] =>
    words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ''] : []));
  const unknown = words.filter((word) => word.startsWith('-') && !['-X', '-d', '-H', '-s', '-N'].includes(word));
  const address = words.find((word) => word.startsWith('http://'))?.replace('http://127.0.0.1:8787', url) ?? '';
  const [data] = after('-d');
  const body = data?.startsWith('@') === true ? readFileSync(join(folder, data.slice(1)), 'utf8') : data;
  const response = await fetch(address, {
    method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    headers: Object.fromEntries(after('-H').map((header) => header.split(': ', 2) as [string, string])),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return response.ok && unknown.length === 0 ? [] : [`${line}: ${response.status} ${text} ${unknown.join(' ')}`];
}

function commandsIn(line: string): readonly string[] {
  const plain = line
    .replace(/(?:node )?[^\s"]*packages\/cli\/bin\/quartermaster\.js/g, 'quartermaster')
    .replace(/^QUARTERMASTER_KEY=\S+(?: [^)]*\))? (?=quartermaster)/, '');
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
    ...(first === 'enrich' ? ['--out', join(folder, 'written.hints.json')] : []),
    ...((first === 'init' || first === 'enrich') && !/--(undo|dry-run|yes)/.test(command) ? ['--yes'] : []),
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
const CALLS = '{"query": "send an email", "called": "gmail_send"}\n';

/** Files that commands name, by their last part. */
const FILES: Readonly<Record<string, string>> = {
  ...{ 'catalog.json': TOOLS, 'my-tools.json': TOOLS, 'tools.json': TOOLS, 'acme.json': TOOLS, 'a.json': TOOLS },
  ...{ 'calls.jsonl': CALLS, 'queries.jsonl': QUERIES, 'my-queries.jsonl': QUERIES },
  ...{ '.mcp.json': SERVERS, 'servers.json': SERVERS, 'mcp.json': SERVERS, 'behind.json': SERVERS },
  ...{
    'quartermaster.yaml': 'mcpConfig: [servers.json]\nupstreams: [{ models: ["*"], provider: rehearsal }]\n',
    'lint.sarif': '',
    'engines.svg': '',
    'suggestions.json': '',
  },
};

function placesIn(home: string) {
  return { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, 'data') };
}

function prepare(): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const { path, text } of SAMPLES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
