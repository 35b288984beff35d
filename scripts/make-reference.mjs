// `npm run reference`: writes the API reference into docs/reference/api, from the doc comments of what the packages export.
//   npm run reference -- --check     writes nothing: lists public names without a doc comment, and links that lead nowhere
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProblems, renderReference } from './reference/render-reference.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
if (process.argv.includes('--check')) check();
else write();

function check() {
  const problems = findProblems(root);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function write() {
  const folder = join(root, 'docs/reference/api');
  const pages = renderReference(root);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
  console.log(`${pages.size} pages in docs/reference/api`);
}
