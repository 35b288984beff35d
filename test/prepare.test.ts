import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const scripts = fileURLToPath(new URL('../scripts', import.meta.url));

/** Installs as `npm ci` does: what is there goes first, and the list of packages comes last. A second one at the same time fails. */
const NPM = `
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
mkdirSync('installing');
appendFileSync('log', 'install\\n');
rmSync('node_modules', { recursive: true, force: true });
await new Promise((resolve) => setTimeout(resolve, 300));
for (const [file, tool] of [['typescript/bin/tsc', 'build'], ['vite/bin/vite.js', 'console']]) {
  mkdirSync('node_modules/' + file.replace(/[^/]+$/, ''), { recursive: true });
  writeFileSync('node_modules/' + file, "require('node:fs').appendFileSync('log', '" + tool + "\\\\n')");
}
cpSync('package-lock.json', 'node_modules/.package-lock.json');
rmSync('installing', { recursive: true });
`;

describe('the preparation of npm scripts', () => {
  let root: string;
  let npm: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'quartermaster-prepare-'));
    npm = join(root, 'npm.mjs');
    mkdirSync(join(root, 'scripts'));
    for (const name of ['prepare.mjs', 'hold-lock.mjs']) cpSync(join(scripts, name), join(root, 'scripts', name));
    for (const folder of ['src', 'public', 'dist'])
      mkdirSync(join(root, 'packages/console', folder), { recursive: true });
    for (const name of ['index.html', 'vite.config.ts', 'package.json', 'dist/index.html'])
      writeFileSync(join(root, 'packages/console', name), '');
    writeFileSync(npm, NPM);
    lockPackages({ 'node_modules/hono': { version: '1.0.0' } });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function lockPackages(packages: Record<string, unknown>): void {
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
  }

  function start(): ChildProcess {
    return spawn(process.execPath, [join(root, 'scripts/prepare.mjs')], {
      env: { ...process.env, npm_execpath: npm, npm_lifecycle_event: 'prestart' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  async function prepare(): Promise<{ code: number; said: string }> {
    const child = start();
    const [said, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'close')]);
    return { code: code as number, said };
  }

  const log = (): string[] => readFileSync(join(root, 'log'), 'utf8').trim().split('\n');

  it('installs once when several commands start on a stale install', async () => {
    const results = await Promise.all([prepare(), prepare(), prepare()]);
    expect(results.map(({ code, said }) => (code === 0 ? 'prepared' : said))).toEqual(Array(3).fill('prepared'));
    expect(log().filter((line) => line === 'install')).toHaveLength(1);
    expect(readdirSync(root).filter((name) => name.startsWith('.prepare'))).toEqual([]);
  });

  it('goes on after a command that was killed in the middle', async () => {
    const killed = start();
    while (!existsSync(join(root, 'installing'))) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(existsSync(join(root, '.prepare.lock'))).toBe(true);
    // npm was its child and ends by itself.
    while (existsSync(join(root, 'installing'))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await prepare()).toMatchObject({ code: 0 });
    expect(readdirSync(root).filter((name) => name.startsWith('.prepare'))).toEqual([]);
  });

  it('names the process that it waits for', async () => {
    const lock = join(root, '.prepare.lock');
    writeFileSync(lock, `${process.pid} ${hostname()}`);
    const child = start();
    const [said] = await once(child.stderr ?? child, 'data');
    expect(String(said)).toBe(`Process ${process.pid} on ${hostname()} installs or builds in this folder. Waiting …\n`);
    rmSync(lock);
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });

  it.each([
    ['the same packages', { 'node_modules/hono': { version: '1.0.0' } }, false],
    ['another version', { 'node_modules/hono': { version: '1.0.1' } }, true],
    ['one more package', { 'node_modules/hono': { version: '1.0.0' }, 'node_modules/pg': { version: '8.0.0' } }, true],
    [
      'one for another system',
      { 'node_modules/hono': { version: '1.0.0' }, 'node_modules/win': { version: '1.0.0', optional: true } },
      false,
    ],
  ])('after a change of the lock file to %s', async (_, packages, isInstalled) => {
    await prepare();
    rmSync(join(root, 'log'));
    lockPackages(packages);
    expect(await prepare()).toMatchObject({ code: 0 });
    expect(log().includes('install')).toBe(isInstalled);
  });
});

describe('a lock that is not released', () => {
  it('ends the wait with the name of its holder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartermaster-lock-'));
    const path = join(folder, 'lock');
    const { holdLock } = (await import(join(scripts, 'hold-lock.mjs'))) as {
      holdLock(options: { path: string; waitMs: number }): void;
    };
    writeFileSync(path, '1 another-machine');
    expect(() => holdLock({ path, waitMs: 0 })).toThrow(
      `Process 1 on another-machine still holds ${path}. If it is not running, delete that file and try again.`,
    );
    expect(readFileSync(path, 'utf8')).toBe('1 another-machine');
    rmSync(folder, { recursive: true });
  });
});
