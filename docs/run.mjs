// `npm run docs`: installs the site's own dependencies on first use, then builds the site into docs/.vitepress/dist.
//   npm run docs                  build
//   npm run docs -- dev           serve, and reload on every change
//   npm run docs -- preview       serve what was built
//   npm run docs -- reference     write docs/reference again, from the code
//   npm run docs -- check         open the built pages in a browser, and look for accessibility problems
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

const [task = 'build', ...rest] = process.argv.slice(2);
if (task === 'reference') run(`${root}node_modules/vitest/vitest.mjs`, ['run', 'test/reference', '-u'], root);
else if (task === 'check') run(`${here}check.mjs`, rest, root);
else build();

function build() {
  if (isInstallStale()) install();
  // The API reference is made from the built packages, and not kept in the repository.
  for (const script of ['prepare', 'make-reference']) start(process.execPath, [`${root}scripts/${script}.mjs`], root);
  run(`${here}node_modules/vitepress/bin/vitepress.js`, [task, ...rest], here);
}

function install() {
  process.stderr.write('Installing the documentation site (npm ci in docs/) …\n');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = npm === undefined ? start('npm', args) : start(process.execPath, [npm, ...args]);
  if (status !== 0) {
    process.stderr.write('npm ci in docs/ failed, so the site can’t be built.\n');
    process.exit(1);
  }
}

function isInstallStale() {
  const installed = `${here}node_modules/.package-lock.json`;
  return !existsSync(installed) || statSync(`${here}package-lock.json`).mtimeMs > statSync(installed).mtimeMs;
}

function run(script, args, cwd) {
  process.exitCode = start(process.execPath, [script, ...args], cwd).status ?? 1;
}

function start(command, args, cwd = here) {
  return spawnSync(command, args, { cwd, stdio: 'inherit' });
}
