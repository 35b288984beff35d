// Replays recorded responses of model providers through every surface, and compares what clients get:
//   npm run check:recordings -- FOLDER
// FOLDER holds NAME.json (a whole response body) and NAME.chunks.txt (a stream, one event's JSON a line), a folder a provider.
// Without FOLDER the samples of the project itself are replayed, as `npm test` does.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder] = process.argv.slice(2);
if (folder !== undefined && !existsSync(folder)) {
  console.error(`No folder ${folder}. Usage: npm run check:recordings -- FOLDER`);
  process.exit(2);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/recordings', '--reporter=default'],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(folder === undefined ? {} : { RECORDINGS: resolve(folder) }) },
  },
);
process.exitCode = status ?? 1;
