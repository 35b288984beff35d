// Runs every property test with cases that npm test does not draw:
//   npm run fuzz -- FACTOR SEED
// FACTOR multiplies how many cases each property tries (10 by default); SEED is the clock's unless given, and is printed first.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const [factor = '10', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
if (!(Number(factor) >= 1) || !Number.isSafeInteger(Number(seed))) {
  console.error('Usage: npm run fuzz -- FACTOR SEED, for example: npm run fuzz -- 10 7');
  process.exit(2);
}
const files = readdirSync('packages', { recursive: true })
  .map((name) => `packages/${name}`)
  .filter((name) => /\/src\/.*\.(test|fixture)\.ts$/.test(name) && readFileSync(name, 'utf8').includes("'fast-check'"))
  .map((name) => name.replace(/[^/]*\.fixture\.ts$/, ''));

console.log(`Property tests with ${factor} times the usual cases, seed ${seed}.`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=600000', ...new Set(files)],
  { stdio: 'inherit', env: { ...process.env, QUARTERMASTER_FUZZ: factor, QUARTERMASTER_FUZZ_SEED: seed } },
);
process.exit(status ?? 1);
