// `npm run bench`: installs the libraries to compare with on first use, then starts the measurement with a heap that is large enough.
//   npm run bench                        everything at 1,000, 10,000 and 100,000 tools
//   npm run bench -- index               one section (index, semantic, reranker, regex, disclosure, answers, gateway, mcp)
//   npm run bench -- disclosure FILE     on real servers: lines of {server, tools}, as *.jsonl or *.jsonl.gz
//   npm run bench -- mcp FILE            the same servers, replayed behind the hub and the proxy
//   npm run bench -- --sizes 1000,10000  other sizes;  --million adds 1,000,000;  --tools FOLDER measures on real tools
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

if (isInstallStale()) {
  process.stderr.write('Installing the libraries to compare with (npm ci in bench/) …\n');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = npm === undefined ? start('npm', args) : start(process.execPath, [npm, ...args]);
  if (status !== 0) {
    process.stderr.write('npm ci in bench/ failed, so that there is nothing to compare with.\n');
    process.exit(1);
  }
}
const flags = ['--expose-gc', '--max-old-space-size=12288'];
process.exitCode =
  start(process.execPath, [...flags, `${here}measure.mjs`, ...process.argv.slice(2)], process.cwd()).status ?? 1;

function isInstallStale() {
  const installed = `${here}node_modules/.package-lock.json`;
  return !existsSync(installed) || statSync(`${here}package-lock.json`).mtimeMs > statSync(installed).mtimeMs;
}

function start(command, args, cwd = here) {
  return spawnSync(command, args, { cwd, stdio: 'inherit' });
}
