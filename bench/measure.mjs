// One process, one run: every section that was asked for, printed and written to bench/results.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAnswers } from './measure-answers.mjs';
import { measureDisclosure } from './measure-disclosure.mjs';
import { measureGateway } from './measure-gateway.mjs';
import { measureIndex } from './measure-index.mjs';
import { measureMcp } from './measure-mcp.mjs';
import { measureRegex } from './measure-regex.mjs';
import { measureReranker } from './measure-reranker.mjs';
import { measureSemantic } from './measure-semantic.mjs';

const SECTIONS = {
  index: measureIndex,
  semantic: measureSemantic,
  reranker: measureReranker,
  regex: measureRegex,
  disclosure: measureDisclosure,
  answers: measureAnswers,
  gateway: measureGateway,
  mcp: measureMcp,
};
/** Sections that may be followed by a file of real servers' tools. */
const TAKES_FILE = ['disclosure', 'answers', 'mcp'];
const results = fileURLToPath(new URL('results/', import.meta.url));

let options;
try {
  options = readOptions();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}

const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
console.log(machine);
mkdirSync(results, { recursive: true });
for (const name of options.sections) {
  const started = performance.now();
  const { markdown, pictures, record = name } = await SECTIONS[name](options);
  const seconds = Math.round((performance.now() - started) / 1000);
  const input = TAKES_FILE.includes(name) && options.path !== undefined ? [basename(options.path)] : [];
  const command = `npm run bench -- ${[name, ...input, ...options.rest].join(' ')}`;
  const text = `${markdown}\n\n${machine}; \`${command}\`; ${seconds} s in all.\n`;
  console.log(`\n${text}`);
  // The record is that of the whole; what is measured with options of its own is only shown.
  if (options.rest.length > 0) continue;
  writeFileSync(`${results}${record}.md`, text);
  for (const [file, svg] of Object.entries(pictures)) writeFileSync(`${results}${file}`, svg);
  console.log(`Written to bench/results: ${record}.md, ${Object.keys(pictures).join(', ')}`);
}
// A library that was given up may still have threads at work, which would keep the process.
process.exit();

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      million: { type: 'boolean', default: false },
      tools: { type: 'string' },
      runs: { type: 'string', default: '5' },
      only: { type: 'string' },
      all: { type: 'boolean', default: false },
    },
  });
  const path = positionals.find(
    (word, index) => TAKES_FILE.includes(positionals[index - 1]) && SECTIONS[word] === undefined,
  );
  const named = positionals.filter((word) => word !== path);
  const sections = named.length === 0 ? Object.keys(SECTIONS) : named;
  for (const name of sections) {
    if (SECTIONS[name] === undefined) {
      throw new Error(`There is no section "${name}"; there are: ${Object.keys(SECTIONS).join(', ')}`);
    }
  }
  const sizes = values.sizes.split(',').map(Number);
  if (values.million) sizes.push(1_000_000);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 100))
    throw new Error('--sizes takes whole numbers from 100 up');
  const runs = Number(values.runs);
  if (!(Number.isInteger(runs) && runs >= 1)) throw new Error('--runs takes a whole number from 1 up');
  const rest = process.argv.slice(2).filter((word) => !positionals.includes(word));
  return {
    sections,
    sizes,
    runs,
    toolsFolder: values.tools,
    only: values.only?.split(','),
    all: values.all,
    path,
    rest,
  };
}
