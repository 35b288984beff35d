// Checks the regex engine against recorded answers of CPython's re.search:
//   node scripts/check-regex-cases.mjs PATH
// PATH is a JSON file of [{ pattern, text, flags?, expect: "match" | "no" | "error" }]. Needs a build (npm run build).
import { readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: node scripts/check-regex-cases.mjs PATH');
  process.exit(2);
}

const { compilePattern, PatternError } = await import('@quartermaster/core/regex');

/** What our engine answers, in the words of the file. */
function answer({ pattern, text, flags = '' }) {
  try {
    return compilePattern(pattern, { flags }).test(text) ? 'match' : 'no';
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.code === 'invalid_pattern' ? 'error' : error.code;
  }
}

const cases = JSON.parse(readFileSync(path, 'utf8'));
const disagreements = cases
  .map((each) => ({ ...each, answered: answer(each) }))
  .filter(({ expect, answered }) => expect !== answered);

for (const each of disagreements) console.log(JSON.stringify(each));
console.log(`${cases.length - disagreements.length} of ${cases.length} answers agree`);
process.exit(disagreements.length === 0 ? 0 : 1);
