// `quartermaster serve` as people run it, on one store, in front of one host.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BIN = fileURLToPath(new URL('../../packages/cli/bin/quartermaster.js', import.meta.url));

/** Starts a gateway. `exited` is how it ended, once it has. */
export async function startGateway({ store, upstreamPort, upstreams = [], more = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-lab-gateway-'));
  const upstream = { models: ['*'], provider: 'anthropic', apiKey: 'none', toolSearch: 'local' };
  const settings = {
    listen: { port: 0 },
    store: typeof store === 'string' ? { url: store } : store,
    search: { engine: 'bm25' },
    upstreams: [...upstreams, { ...upstream, baseUrl: `http://127.0.0.1:${upstreamPort}` }],
    ...more,
  };
  // Every JSON text is YAML.
  writeFileSync(join(folder, 'quartermaster.yaml'), JSON.stringify(settings));
  const child = spawn(
    process.execPath,
    [BIN, 'serve', '--config', join(folder, 'quartermaster.yaml'), '--log', 'json'],
    {
      env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const gateway = { port: undefined, exited: undefined, faults: [] };
  const ended = new Promise((done) => child.once('exit', done));
  child.once('exit', (code, signal) => {
    gateway.exited = signal ?? code;
  });
  let text = '';
  child.stderr.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-4_000);
    for (const line of String(chunk).split('\n'))
      if (/uncaughtException|unhandledRejection/.test(line)) gateway.faults.push(line);
  });
  gateway.port = await new Promise((done, fail) => {
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(out);
      if (found) done(Number(found[1]));
    });
    child.once('exit', (code) => fail(new Error(`quartermaster serve ended with ${code}: ${text}`)));
  });
  return Object.assign(gateway, {
    /** Bytes of memory that the process has now. */
    rss: () => residentBytes(child.pid),
    /** Ends it without a word. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(late);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

async function residentBytes(pid) {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}
