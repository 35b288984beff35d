// `npm run check:claude-code`: runs the real Claude Code, from npm, with the file that `quartermaster mcp install claude-code` writes.
// Its model is a script on this machine. The proxy's search tool has to be in the first request, while the tools of another server stay
// behind Claude Code's own search. `--claude PROGRAM` uses one that is installed; otherwise it is put into a temporary folder (200 MB).
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listen } from './listen.mjs';

const PACKAGE = '@anthropic-ai/claude-code';
const TIMEOUT_MS = 120_000;
const QUARTERMASTER = fileURLToPath(new URL('../packages/cli/bin/quartermaster.js', import.meta.url));
const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const EVERYTHING = { type: 'stdio', command: process.execPath, args: [SERVER, 'stdio'] };

const TEXT = { type: 'text', text: 'Done.' };
const use = (name, input) => ({ type: 'tool_use', id: `toolu_${name}`, name: `mcp__quartermaster__${name}`, input });
const ROUNDS = [
  use('tool_search', { query: 'echo a message back' }),
  use('tool_call', { name: 'everything__echo', arguments: { message: 'hello' } }),
];

const { values } = parseArgs({ options: { claude: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'quartermaster-claude-code-'));
const problems = [];
const check = (what, isTrue) => {
  console.log(`${isTrue ? 'ok  ' : 'FAIL'} ${what}`);
  if (!isTrue) problems.push(what);
};
try {
  const claude = values.claude ?? installClaude();
  const home = join(folder, 'home');
  mkdirSync(home);
  const { PATH } = process.env;
  const env = { PATH, HOME: home, XDG_DATA_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: home };
  const file = join(home, '.claude.json');
  const before = JSON.stringify({ hasCompletedOnboarding: true, mcpServers: { everything: EVERYTHING } }, null, 2);
  writeFileSync(file, before);
  quartermaster(['mcp', 'install', 'claude-code', '--form', 'bridge', '--no-cost', '--yes'], env);
  const installed = readFileSync(file, 'utf8');
  const document = JSON.parse(installed);
  check('the file has one server, which is always loaded', document.mcpServers.quartermaster?.alwaysLoad === true);
  // A server that Claude Code hides, to see that it would hide ours.
  writeFileSync(file, JSON.stringify({ ...document, mcpServers: { ...document.mcpServers, hidden: EVERYTHING } }));

  const host = await startHost();
  console.log(`Claude Code ${execFileSync(claude, ['--version'], { env, encoding: 'utf8' }).trim()}`);
  const output = await runClaude(claude, { ...env, ANTHROPIC_BASE_URL: host.url });
  host.close();
  const [first] = host.requests;
  const shown = (first?.tools ?? []).filter((tool) => tool.defer_loading !== true).map(({ name }) => name);
  const mine = shown.filter((name) => name.startsWith('mcp__quartermaster__'));
  check(
    `the first request shows ${mine.join(', ') || 'none of our tools'}`,
    mine.includes('mcp__quartermaster__tool_search'),
  );
  check('it shows no tool of the other server', !shown.some((name) => name.startsWith('mcp__hidden__')));
  check(
    'a search was answered with the tool',
    host.results.get('toolu_tool_search')?.includes('everything__echo') === true,
  );
  check('a call reached the server behind', host.results.get('toolu_tool_call')?.includes('Echo: hello') === true);
  check('three requests were enough', host.requests.length === 3);
  if (problems.length > 0)
    console.log(`\nWhat Claude Code wrote:\n${output}\n\nResults: ${JSON.stringify([...host.results])}`);

  writeFileSync(file, installed);
  quartermaster(['mcp', 'uninstall', 'claude-code'], env);
  check('uninstall restores the file byte for byte', readFileSync(file, 'utf8') === before);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = problems.length === 0 ? 0 : 1;

function quartermaster(args, env) {
  execFileSync(process.execPath, [QUARTERMASTER, ...args], {
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The program of this platform, which the package's own script would only copy. */
function installClaude() {
  console.log(`Installing ${PACKAGE} into a temporary folder…`);
  const args = [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    PACKAGE,
  ];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const scope = join(folder, 'node_modules', '@anthropic-ai');
  const platform = readdirSync(scope).find((name) => name.startsWith('claude-code-'));
  if (platform === undefined) throw new Error(`${PACKAGE} has no program for this platform`);
  return join(scope, platform, process.platform === 'win32' ? 'claude.exe' : 'claude');
}

function runClaude(claude, env) {
  const allowed = ['tool_search', 'tool_describe', 'tool_call'].map((name) => `mcp__quartermaster__${name}`);
  const child = spawn(claude, ['--print', 'Say hello with the echo tool', '--allowedTools', allowed.join(',')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    env: {
      ...env,
      ANTHROPIC_API_KEY: 'sk-ant-none',
      // Off by default where the host is not Anthropic's own.
      ENABLE_TOOL_SEARCH: 'true',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(`${output}\n(exit ${code ?? signal})`));
  });
}

/** A host of the Messages API whose model searches, calls what it found, and answers. */
async function startHost() {
  const requests = [];
  const results = new Map();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const isMessage =
        request.method === 'POST' && request.url?.startsWith('/v1/messages') && !request.url.includes('count');
      const body = isMessage ? JSON.parse(text) : {};
      // Requests for titles and the like bring no tools.
      if (!isMessage || !Array.isArray(body.tools) || body.tools.length === 0) return answer(response, body, [TEXT]);
      requests.push(body);
      for (const block of body.messages.flatMap(({ content }) => content)) {
        if (block.type === 'tool_result') results.set(block.tool_use_id, JSON.stringify(block.content));
      }
      answer(response, body, [ROUNDS[requests.length - 1] ?? TEXT]);
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests,
    results,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response, { model = 'none', stream = false }, content) {
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
  if (!stream) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: begin(block) },
      { type: 'content_block_delta', index, delta: delta(block) },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

function begin(block) {
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
}

function delta(block) {
  return block.type === 'text'
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
}
