// What `npm start`, `npm test` and the like need first: installed packages and a current build.
// Runs on a bare clone, so it uses nothing but Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { holdLock } from './hold-lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LONGEST_WAIT_MS = 15 * 60_000;

// Two commands at once would install and build into the same folders, and each would find the other's half-written files.
try {
  holdLock({
    path: `${root}.prepare.lock`,
    waitMs: LONGEST_WAIT_MS,
    onWait: (holder) => say(`${holder} installs or builds in this folder. Waiting …`),
  });
} catch (error) {
  fail(error.message);
}
if (isInstallStale()) {
  say('Installing packages (npm ci) …');
  runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}
// `npm test` builds as one of its checks: a mistake in a type is then counted with the others, and not the end of the run.
if (process.env.npm_lifecycle_event !== 'pretest') {
  if (!existsSync(`${root}packages/cli/dist/index.js`)) say('Building …');
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'packages/tsconfig.json']);
}
if (isConsoleStale()) {
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'packages/console', '--logLevel', 'warn']);
}

/**
 * npm lists what it has installed in `node_modules/.package-lock.json`, last. Times say nothing: a checkout writes the lock file
 * again, unchanged. Optional packages are left out on systems that they are not made for.
 */
function isInstallStale() {
  const installed = `${root}node_modules/.package-lock.json`;
  if (!existsSync(installed)) return true;
  const present = packagesIn(installed);
  return Object.entries(packagesIn(`${root}package-lock.json`)).some(([place, wanted]) => {
    if (place === '') return false;
    const found = present[place];
    if (found === undefined) return wanted.optional !== true && wanted.devOptional !== true;
    return found.version !== wanted.version || found.integrity !== wanted.integrity;
  });
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** The page is built again when any of its sources is newer than the last build. */
function isConsoleStale() {
  const built = `${root}packages/console/dist/index.html`;
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  const folder = `${root}packages/console/`;
  const sources = [
    'index.html',
    'vite.config.ts',
    'package.json',
    ...list(`${folder}src`, 'src/'),
    ...list(`${folder}public`, 'public/'),
  ];
  return sources.some((name) => statSync(folder + name).mtimeMs > builtAt);
}

function list(folder, prefix) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => prefix + name);
}

function runNpm(args) {
  const npm = process.env.npm_execpath;
  if (npm === undefined) run('npm', args);
  else run(process.execPath, [npm, ...args]);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) fail(`${command} could not be started: ${error.message}`);
  if (status !== 0) fail(`${[command, ...args].join(' ')} ended with ${status}`);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
