// set-version.mjs: the part of `npm run version` after changesets. Writes the packages' new version wherever else it stands: the
// changelog, two constants, the range of the optional peer, the lock file.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(read('packages/cli/package.json'));
const changelog = read('CHANGELOG.md');
if (changelog.includes(`\n## ${version} `)) {
  fail(`${version} is in CHANGELOG.md already: there was no changeset. Write one with: npm run changeset`);
}
if (!/\n## Unreleased\n+(?!## )\S/.test(changelog)) {
  fail('CHANGELOG.md has nothing under "Unreleased": say there what has changed, then run this again.');
}

const today = new Date().toISOString().slice(0, 10);
write('CHANGELOG.md', changelog.replace('\n## Unreleased\n', `\n## Unreleased\n\n## ${version} - ${today}\n`));
replace('packages/gateway/src/routes/status-routes.ts', /(?<=VERSION = ')[^']+/);
replace('packages/mcp/src/hub/hub-options.ts', /(?<=name: 'quartermaster', version: ')[^']+/);
// Changesets leave the range alone, because it includes the new version.
replace('packages/host/package.json', /(?<="@quartermaster\/reranker": ">=)[^"]+/);
const npm = [
  'install',
  '--package-lock-only',
  '--ignore-scripts',
  '--omit-lockfile-registry-resolved',
  '--loglevel=error',
];
const { status } = spawnSync('npm', npm, { cwd: root, stdio: 'inherit' });
if (status !== 0) fail('package-lock.json was not updated: run npm install --package-lock-only.');
console.log(`All packages are ${version}. Review the changes, commit them, and tag the commit v${version}.`);

function replace(path, pattern) {
  const text = read(path);
  if (!pattern.test(text)) fail(`${path} no longer has a version where this script looks for it`);
  write(path, text.replace(pattern, version));
}

function read(path) {
  return readFileSync(`${root}${path}`, 'utf8');
}

function write(path, text) {
  writeFileSync(`${root}${path}`, text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
