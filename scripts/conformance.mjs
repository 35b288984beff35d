// `npm run conformance`: the official MCP conformance suite, directly against a server and against the same server behind the gateway.
//   npm run conformance                                  our own backend, 2025-11-25
//   npm run conformance -- --revision 2026-07-28         the same backend, which does not speak that revision, behind the gateway, which does
//   npm run conformance -- --url URL --revision 2026-07-28   a server that is running already, such as the suite's own
//   npm run conformance -- --scenario tools-call-image   one scenario
//   npm run conformance -- --clients                     the scenarios that test a client: our hub, with an SDK client in front
// Fails where the gateway does worse.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRelay } from './conformance/relay.mjs';
import { startServer } from './conformance/server.mjs';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const COMMAND = fileURLToPath(new URL('../packages/cli/bin/quartermaster.js', import.meta.url));
const SHIM = new URL('./conformance/older-node.mjs', import.meta.url).href;
/** Scenarios for tools that our own backend does not have. */
const LACKING = /^(server-stateless|http-custom-header-server-validation|input-required-result-.*)$/;
const PREFIX = 'backend__';
const NOTHING = { passed: 0, failed: 0, warnings: 0 };
const CLIENT = fileURLToPath(new URL('./conformance/client.mjs', import.meta.url));
/** Of a revision that the suite's own list of scenarios no longer has. */
const OLD_SCENARIOS = ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'];

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    revision: { type: 'string', default: '2025-11-25' },
    scenario: { type: 'string' },
    clients: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
if (values.clients) {
  await testClient();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
const backend = values.url === undefined ? await startServer() : { url: values.url, close() {} };
const gateway = await startGateway(backend.url);
const relay = await startRelay(gateway.url, PREFIX);
try {
  const proxied = await runSuite(relay.url);
  // Our own backend is of 2025: what the gateway makes of it for clients of the newer revision has to pass by itself.
  const isSpoken = values.url !== undefined || values.revision < '2026';
  if (!isSpoken) for (const name of [...proxied.keys()]) if (LACKING.test(name)) proxied.delete(name);
  const direct = isSpoken ? await runSuite(backend.url) : new Map([...proxied.keys()].map((name) => [name, NOTHING]));
  console.log(renderTable(direct, proxied));
  const isWorse = (name) => (proxied.get(name)?.failed ?? 1) > (direct.get(name)?.failed ?? 0);
  const worse = [...direct.keys()].filter(isWorse);
  console.log(worse.length === 0 ? 'Nothing is worse behind the gateway.' : `Worse: ${worse.join(', ')}`);
  process.exitCode = worse.length === 0 && direct.size > 0 ? 0 : 1;
} finally {
  relay.close();
  gateway.close();
  backend.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The gateway with one server behind it, with sessions, since sampling and elicitation of 2025 need them. */
async function startGateway(url) {
  const settings = { mcpServers: { backend: { type: 'http', url } }, mcp: { sessions: true, form: 'inline' } };
  const file = join(folder, 'quartermaster.yaml');
  writeFileSync(file, JSON.stringify(settings));
  const args = [COMMAND, 'serve', '--port', '0', '--store', ':memory:', '--config', file, '--log', 'none'];
  const env = { PATH: process.env.PATH, HOME: folder, QUARTERMASTER_SEARCH_ENGINE: 'bm25' };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  const address = await new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk) => {
      said += chunk;
      const [, found] = /is listening on (http:\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => reject(new Error(`The gateway has ended:\n${said}`)));
  });
  return { url: `${address}/mcp`, close: () => child.kill() };
}

/** The scenarios that test a client, each at every revision that it is for. Those of extensions are not run. */
async function testClient() {
  const command = `${process.execPath} ${CLIENT}`;
  const scenarios = values.scenario === undefined ? ['--suite', 'all'] : ['--scenario', values.scenario];
  const found = new Map();
  for (const [revision, which] of [
    ['2025-11-25', scenarios],
    ['2026-07-28', scenarios],
    ...(values.scenario === undefined ? OLD_SCENARIOS.map((name) => ['2025-03-26', ['--scenario', name]]) : []),
  ]) {
    const outcomes = await runCommand(['client', '--command', command, ...which, '--timeout', '60000'], revision);
    for (const [name = String(which.at(-1)), outcome] of outcomes)
      found.set(name, { ...found.get(name), [String(revision)]: outcome });
  }
  const revisions = ['2025-03-26', '2025-11-25', '2026-07-28'];
  const cell = (outcome) => (outcome === undefined ? '' : render(outcome));
  const rows = [...found].map(
    ([name, by]) => `| ${name} | ${revisions.map((revision) => cell(by[revision])).join(' | ')} |`,
  );
  const isFine = (by) => Object.values(by).every(({ failed, warnings }) => failed + warnings === 0);
  const passed = [...found.values()].filter(isFine).length;
  console.log([`| client scenario | ${revisions.join(' | ')} |`, '|---|---|---|---|', ...rows].join('\n'));
  console.log(`${passed} of ${found.size} scenarios pass.`);
  process.exitCode = passed === found.size ? 0 : 1;
}

/** What came of each scenario: its checks, by how they went. */
async function runSuite(url) {
  const which = values.scenario === undefined ? ['--suite', 'all'] : ['--scenario', values.scenario];
  const found = await runCommand(['server', '--url', url, ...which], values.revision);
  return new Map([...found].map(([name = values.scenario, outcome]) => [name, outcome]));
}

/** By scenario; a single one has no name in what the suite prints. */
async function runCommand(args, revision) {
  const options = process.env.NODE_OPTIONS ?? '';
  const env = { ...process.env, NODE_OPTIONS: `${options} --import ${SHIM}` };
  const command = [SUITE, ...args, '--spec-version', revision, '--output-dir', folder];
  const child = spawn(process.execPath, command, { cwd: folder, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  await new Promise((resolve) => child.on('close', resolve));
  const found = new Map();
  const summary = /^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?/gm;
  for (const [, name, passed, failed, warnings = 0] of said.matchAll(summary))
    found.set(name, { passed: Number(passed), failed: Number(failed), warnings: Number(warnings) });
  const [, passed, total] = /^Passed: (\d+)\/(\d+)/m.exec(said) ?? [];
  if (found.size === 0 && passed !== undefined)
    found.set(undefined, { passed: Number(passed), failed: Number(total) - Number(passed), warnings: 0 });
  if (found.size === 0 && !said.startsWith('SKIPPED'))
    throw new Error(`The suite has said nothing that can be read:\n${said.slice(-2_000)}`);
  return found;
}

function renderTable(direct, proxied) {
  const rows = [...direct].map(([name, one]) => `| ${name} | ${render(one)} | ${render(proxied.get(name))} |`);
  const sum = (all) =>
    [...all.values()].reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }));
  const total = `| **all** | ${render(sum(direct))} | ${render(sum(proxied))} |`;
  return [`| scenario (${values.revision}) | direct | proxied |`, '|---|---|---|', ...rows, total].join('\n');
}

function render(outcome) {
  if (outcome === undefined) return 'not run';
  if (outcome.passed + outcome.failed === 0) return '–';
  return outcome.failed === 0 ? `${outcome.passed} passed` : `${outcome.passed} passed, ${outcome.failed} failed`;
}
