// `npm test`: every check of the project, one after the other, and a closing line that counts them.
// A failing check doesn't stop the others, so that one run shows all there is to mend.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'quartermaster-check-'));
const counts = { passed: 0, failed: 0 };

check('format and lint', 'node_modules/@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', '.']);
check('types', 'node_modules/typescript/bin/tsc', ['-b']);
check('types of tests', 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.test.json']);
check('types of the console', 'node_modules/typescript/bin/tsc', ['-p', 'packages/console']);
check('types of scripts', 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.scripts.json']);
check('unused code', 'node_modules/knip/bin/knip.js', []);
countTests();

rmSync(scratch, { recursive: true, force: true });
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function check(title, script, args) {
  const ok = run(title, script, args);
  counts[ok ? 'passed' : 'failed'] += 1;
}

/** Unit and integration tests. A runner that dies before it has written its report counts as a failure. */
function countTests() {
  const report = join(scratch, 'tests.json');
  const ok = run('tests', 'node_modules/vitest/vitest.mjs', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    counts.passed += numPassedTests;
    counts.failed += numFailedTests;
    if (!ok && numFailedTests === 0) counts.failed += Math.max(1, numFailedTestSuites);
  } catch {
    counts.failed += 1;
  }
}

function run(title, script, args) {
  const started = performance.now();
  console.log(`\n── ${title}`);
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${title}: ${status === 0 ? 'ok' : 'FAILED'} in ${seconds} s`);
  return status === 0;
}
