// Patterns of a grammar, some of them damaged: our engine has to answer as CPython's re.search does. Without python3 the naive matcher
// and the recorded table in `npm test` stand in.
import { spawn, spawnSync } from 'node:child_process';
import { compilePattern, PatternError } from '@quartermaster/core/regex';

const BATCH = 4_000;
const ATOMS = [
  ...['a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\W', '\\d', '\\s', '\\n', '^', '$', '\\b', '\\B', '\\A', '\\Z', ''],
  ...['[a-c]', '[^\\w]', '\\x61', '\\u00e9', 'é', 'ß', 'K', 'ſ', '[]a]', '[a-]', '\\.', '_', '\\1', '(?P=n)', '[\\d_]'],
];
const REPEATS = ['*', '+', '?', '{2}', '{1,2}', '{0,1}', '{2,}', '{,2}', '*?', '+?', '??', '{1,2}?', '*+', '++', '?+'];
const GROUPS = ['(', '(?:', '(?P<n>', '(?=', '(?!', '(?<=', '(?<!', '(?>', '(?i:', '(?s:', '(?m:', '(?-i:'];
const TEXTS = ['a', 'b', 'c', 'A', 'é', 'É', 'K', 'ſ', 'ß', '_', '1', ' ', '\n', '-', '😀'];
const PYTHON = `
import json, re, sys, warnings
warnings.simplefilter('ignore')
for line in sys.stdin:
    answers = []
    for pattern, text, flags in json.loads(line):
        try:
            number = sum({'i': re.I, 'm': re.M, 's': re.S, 'a': re.A}[flag] for flag in flags)
            found = re.compile(pattern, number).search(text)
            answers.append('no' if found is None else 'match')
        except (re.error, OverflowError, RecursionError):
            answers.append('error')
    print(json.dumps(answers), flush=True)
`;

export async function fuzz(random, count) {
  if (spawnSync('python3', ['-c', 'import re']).status !== 0) return { cases: 0, note: 'python3 is not there' };
  const python = spawn('python3', ['-c', PYTHON], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = linesOf(python.stdout);
  const problems = [];
  let undecided = 0;
  try {
    for (let done = 0; done < count; done += BATCH) {
      const cases = Array.from({ length: Math.min(BATCH, count - done) }, () => [
        patternIn(random),
        random.text(10, TEXTS),
        random.isOne(3) ? random.pick(['i', 'm', 's', 'a', 'im']) : '',
      ]);
      python.stdin.write(`${JSON.stringify(cases)}\n`);
      const expected = JSON.parse((await lines.next()).value);
      for (const [at, [pattern, text, flags]] of cases.entries()) {
        const answered = answer(pattern, text, flags);
        if (answered === 'undecided') undecided += 1;
        else if (answered !== expected[at]) {
          problems.push(`${JSON.stringify({ pattern, text, flags })}: ${answered}, and CPython: ${expected[at]}`);
        }
      }
    }
  } finally {
    python.stdin.end();
  }
  return { cases: count, problems, note: `${undecided} over budget or too long` };
}

function patternIn(random) {
  const pattern = grow(random, 3);
  if (!random.isOne(6)) return pattern;
  const at = random.whole(pattern.length + 1);
  return pattern.slice(0, at) + random.pick(['(', ')', '[', ']', '*', '{', '\\', '|', '?', '']) + pattern.slice(at + 1);
}

function grow(random, depth) {
  if (depth === 0) return random.pick(ATOMS);
  switch (random.whole(6)) {
    case 0:
      return random.pick(ATOMS);
    case 1:
    case 2:
      return grow(random, depth - 1) + grow(random, depth - 1);
    case 3:
      return `(?:${grow(random, depth - 1)}|${grow(random, depth - 1)})`;
    case 4:
      return `${random.pick(GROUPS)}${grow(random, depth - 1)})`;
    default:
      return `(?:${grow(random, depth - 1)})${random.pick(REPEATS)}`;
  }
}

function answer(pattern, text, flags) {
  try {
    return compilePattern(pattern, { flags }).test(text) ? 'match' : 'no';
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.code === 'invalid_pattern' ? 'error' : 'undecided';
  }
}

/** @returns {AsyncGenerator<string, any>} */
async function* linesOf(stream) {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    yield* lines;
  }
}
