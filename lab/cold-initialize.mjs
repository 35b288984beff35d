// How long the first requests take with servers behind that never answer, and nothing stored: `quartermaster mcp` from its start to the
// answer of `initialize`, and a gateway that has just been started to `initialize` and to a call of another server. Fails above a
// second. It depends on the machine: run it on one that is idle.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGateway } from './processes/serve.mjs';

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/quartermaster.js', import.meta.url));
const RUNS = 7;
const MOST_MS = 1_000;
const HANGING = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'lab', version: '1.0.0' } },
};

const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'plain__hello', arguments: {} } };
const ODD_SERVER = fileURLToPath(new URL('../packages/mcp/src/testing/odd-server.fixture.mjs', import.meta.url));

export async function run() {
  const times = {
    'quartermaster mcp, initialize': [],
    'gateway, initialize': [],
    'gateway, a call of another server': [],
  };
  for (let time = 0; time < RUNS; time += 1) {
    const [initialize, call] = await measureGateway();
    const all = [await measureProxy(), initialize, call];
    for (const [index, list] of Object.values(times).entries()) list.push(all[index]);
  }
  const problems = [];
  for (const [what, list] of Object.entries(times)) {
    list.sort((a, b) => a - b);
    const median = Math.round(list[Math.floor(RUNS / 2)]);
    console.log(`${what}: answered after ${median} ms (median of ${RUNS}; ${list.map(Math.round).join(', ')})`);
    if (median > MOST_MS) problems.push(`${what}: ${median} ms, more than ${MOST_MS}`);
  }
  return problems;
}

/** Milliseconds to the answers of `initialize` and of a call, both sent as soon as the gateway listens. */
async function measureGateway() {
  const plain = { command: process.execPath, args: [ODD_SERVER, 'plain'] };
  const gateway = await startGateway({
    store: { path: ':memory:' },
    upstreamPort: 9,
    more: { mcpServers: { hanging: HANGING, plain, another: HANGING } },
  });
  const ask = async (message) => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${gateway.port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const text = await response.text();
    if (!response.ok || !text.includes('"result"')) throw new Error(`${message.method}: ${response.status} ${text}`);
    return performance.now() - startedAt;
  };
  try {
    return await Promise.all([ask(INITIALIZE), ask(CALL)]);
  } finally {
    await gateway.stop();
  }
}

async function measureProxy() {
  const folder = mkdtempSync(join(tmpdir(), 'cold-'));
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { hanging: HANGING, another: HANGING } }));
  const startedAt = performance.now();
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
  const child = spawn(process.execPath, [COMMAND, 'mcp', '--mcp-config', file], { cwd: folder, env });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('It ended before it answered')));
  });
  const tookMs = performance.now() - startedAt;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  await ended;
  rmSync(folder, { recursive: true, force: true });
  return tookMs;
}
