// How long `quartermaster mcp` takes from its start to the answer of `initialize`, with a server that never answers behind it and
// nothing stored. Fails above a second. It depends on the machine: run it on one that is idle.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

export async function run() {
  const times = [];
  for (let time = 0; time < RUNS; time += 1) times.push(await measure());
  times.sort((a, b) => a - b);
  const median = times[Math.floor(RUNS / 2)];
  console.log(`initialize after ${Math.round(median)} ms (median of ${RUNS}; ${times.map(Math.round).join(', ')})`);
  return median <= MOST_MS ? [] : [`initialize took ${Math.round(median)} ms, more than ${MOST_MS}`];
}

async function measure() {
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
