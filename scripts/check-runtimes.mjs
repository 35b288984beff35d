// `npm run check:runtimes`: installs the packed packages in a project of their own and runs them on every runtime that they are
// meant for. It needs the npm registry. `--short` bundles and runs without one; `npm test` does that.
// `--only=workerd,bun` runs some rows. The build has to be there: npm run build.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shortRows } from './runtimes/bundles.mjs';
import { longRows } from './runtimes/installed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isShort = process.argv.includes('--short');
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const PACKAGES = isShort
  ? ['core', 'semantic', 'wires']
  : ['core', 'semantic', 'reranker', 'wires', 'host', 'mcp', 'agent', 'client'];
/** Packed and checked as packages, but not installed: they bring the gateway's dependencies. */
const ONLY_CHECKED = isShort ? [] : ['gateway', 'console', 'cli'];

const project = mkdtempSync(join(tmpdir(), 'quartermaster-runtimes-'));
let failed = 0;
try {
  const tarballs = PACKAGES.map(pack);
  writeFileSync(join(project, 'package.json'), '{ "name": "outside", "private": true, "type": "module" }\n');
  for (const file of readdirSync(join(root, 'scripts/runtimes/probes'))) {
    cpSync(join(root, 'scripts/runtimes/probes', file), join(project, file));
  }
  if (isShort) for (const tarball of tarballs) unpack(tarball);
  const packed = [...tarballs, ...ONLY_CHECKED.map(pack)];
  const context = { project, root, tarballs, packed, run, npm };
  const rows = [...(isShort ? [] : longRows(context)), ...shortRows(context)];
  for (const { name, check } of rows) {
    if (only !== undefined && !only.includes(name) && name !== 'install') continue;
    await report(name, check);
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

async function report(name, check) {
  try {
    console.log(`ok      ${name}: ${await check()}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function pack(name) {
  mkdirSync(join(project, 'tarballs'), { recursive: true });
  const folder = join(root, 'packages', name);
  const out = npm(folder, 'pack', '--json', '--ignore-scripts', '--pack-destination', join(project, 'tarballs'));
  return join(project, 'tarballs', JSON.parse(out)[0].filename);
}

/** What npm would do, without asking the registry for what else a package depends on. */
function unpack(tarball) {
  const folder = mkdtempSync(join(project, 'unpack-'));
  run('tar', ['xzf', tarball], { cwd: folder });
  const { name } = JSON.parse(readFileSync(join(folder, 'package', 'package.json'), 'utf8'));
  cpSync(join(folder, 'package'), join(project, 'node_modules', name), { recursive: true });
}

function npm(cwd, ...args) {
  return run('npm', args, { cwd, env: { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' } });
}

/** The output; an error with the end of it where the program fails. */
function run(program, args, options = {}) {
  try {
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = ['ignore', 'pipe', 'pipe'];
    return execFileSync(program, args, { cwd: project, encoding: 'utf8', timeout: 300_000, stdio, ...options });
  } catch (error) {
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed: ${output.slice(-600) || error.message}`);
  }
}
