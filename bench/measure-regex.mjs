import { Worker } from 'node:worker_threads';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { searchText } from '@quartermaster/core/catalog';
import { compilePattern } from '@quartermaster/core/regex';
import { drawBars } from './draw-bars.mjs';
import { median } from './statistics.mjs';
import { synthesiseTools } from './synthesise-tools.mjs';

const SIZE = 10_000;
/** How long a pattern may hold JavaScript's engine before its thread is ended. */
const LIMIT_MS = 1_000;

/** Our engine against JavaScript's own over the fields of 10,000 tools: the ordinary patterns, then those that are made to stall. */
export async function measureRegex(options) {
  const { tools } = parseTools(synthesiseTools(SIZE).flatMap((chunk) => JSON.parse(chunk)));
  const texts = createSnapshot(tools, { maxTools: SIZE }).tools.flatMap(fieldsOf);
  const ordinary = ORDINARY.map((pattern) => measureOrdinary(pattern, texts, options.runs));
  const hostile = [];
  for (const { pattern, text } of HOSTILE)
    hostile.push(await measureHostile(pattern, [...texts.slice(0, 1_000), text]));
  return { markdown: render(ordinary, hostile, texts.length), pictures: { 'regex.svg': drawPicture(ordinary) } };
}

function measureOrdinary({ pattern, flags = '' }, texts, runs) {
  const python = compilePattern(pattern, { flags });
  const native = toNative(pattern, flags);
  const ours = timeMatching((text) => python.test(text), texts, runs);
  const theirs = timeMatching((text) => native.test(text), texts, runs);
  if (ours.matches !== theirs.matches) {
    process.stderr.write(`${pattern}: ours matches ${ours.matches} texts, JavaScript ${theirs.matches}\n`);
  }
  return {
    pattern,
    engine: python.engine,
    matches: ours.matches,
    ours: ours.ms,
    theirs: theirs.ms,
    ratio: ours.ms / theirs.ms,
  };
}

function timeMatching(test, texts, runs) {
  const times = [];
  let matches = 0;
  for (let run = 0; run <= runs; run += 1) {
    matches = 0;
    const started = process.cpuUsage();
    for (const text of texts) if (test(text)) matches += 1;
    const { user, system } = process.cpuUsage(started);
    if (run > 0) times.push((user + system) / 1000);
  }
  return { ms: median(times), matches };
}

async function measureHostile(pattern, texts) {
  const theirs = await timeInWorker(pattern, texts);
  const compiled = compilePattern(pattern);
  const started = performance.now();
  let outcome = 'answered';
  for (const text of texts) {
    try {
      compiled.test(text);
    } catch (error) {
      if (error.code !== 'out_of_budget') throw error;
      outcome = 'out of budget';
    }
  }
  return { pattern, ours: performance.now() - started, outcome, theirs };
}

/** Milliseconds, or undefined when the time ran out: only a thread of its own can be ended while it matches. */
function timeInWorker(pattern, texts) {
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    const pattern = new RegExp(workerData.pattern, 'u');
    const started = performance.now();
    for (const text of workerData.texts) pattern.test(text);
    parentPort.postMessage(performance.now() - started);`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData: { pattern, texts } });
    const timer = setTimeout(() => {
      resolve(undefined);
      worker.terminate();
    }, LIMIT_MS);
    worker.once('message', (taken) => {
      clearTimeout(timer);
      resolve(taken);
    });
    worker.once('error', reject);
  });
}

function fieldsOf(tool) {
  const text = searchText(tool);
  return [text.name, text.description, ...text.parameterNames, ...text.parameterDescriptions];
}

/** Python's spelling in JavaScript's. */
function toNative(pattern, flags) {
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const letters = new Set([...flags, ...(inline?.[1] ?? ''), 'u']);
  return new RegExp(
    (inline === null ? pattern : pattern.slice(inline[0].length)).replaceAll('(?P<', '(?<'),
    [...letters].join(''),
  );
}

function render(ordinary, hostile, count) {
  const ratios = ordinary.map((row) => row.ratio);
  const held = hostile.filter((row) => row.theirs === undefined).length;
  return [
    '# Regular expressions against JavaScript’s own',
    '',
    `${count.toLocaleString('en-US')} texts of ${SIZE.toLocaleString('en-US')} tools, CPU time, medians. Over the ordinary patterns ours takes ${median(ratios).toFixed(2)} × (median) and ${Math.max(...ratios).toFixed(2)} × (worst) of JavaScript’s time. JavaScript’s engine was still busy with ${held} of ${hostile.length} hostile patterns after ${LIMIT_MS / 1000} s.`,
    '',
    '| pattern | decided by | texts that match | ours, ms | JavaScript, ms | ratio |',
    '|---|---|---:|---:|---:|---:|',
    ...ordinary.map(
      (row) =>
        `| ${code(row.pattern)} | ${row.engine} | ${row.matches.toLocaleString('en-US')} | ${row.ours.toFixed(1)} | ${row.theirs.toFixed(1)} | ${row.ratio.toFixed(2)} |`,
    ),
    '',
    '| hostile pattern | ours, ms | outcome | JavaScript, ms |',
    '|---|---:|---|---:|',
    ...hostile.map(
      (row) =>
        `| ${code(row.pattern)} | ${row.ours.toFixed(1)} | ${row.outcome} | ${row.theirs === undefined ? `stopped after ${LIMIT_MS.toLocaleString('en-US')}` : row.theirs.toFixed(1)} |`,
    ),
  ].join('\n');
}

function drawPicture(ordinary) {
  const total = (key) => ordinary.reduce((sum, row) => sum + row[key], 0);
  return drawBars([
    {
      title: `${ordinary.length} ordinary patterns over 10,000 tools, ms CPU`,
      bars: [
        { label: 'quartermaster', value: total('ours') },
        { label: 'JavaScript', value: total('theirs') },
      ],
    },
  ]);
}

function code(pattern) {
  return `\`${pattern.replaceAll('|', '\\|')}\``;
}

const ORDINARY = [
  { pattern: 'email' },
  { pattern: '^get_' },
  { pattern: '^(get|list|search)_.*' },
  { pattern: '.*_customer.*' },
  { pattern: '(?i)Repository' },
  { pattern: '(?i)\\b(issue|ticket|bug)s?\\b' },
  { pattern: '[a-z]+_id$' },
  { pattern: 'create.*event|event.*create' },
  { pattern: '\\bread\\b.*\\bfile\\b' },
  { pattern: '(send|post)_?(message|email)' },
  { pattern: '^[a-z]+_[a-z]+$' },
  { pattern: 'user.{0,20}name' },
  { pattern: '(?P<verb>create|delete)_(?P<noun>\\w+)' },
  { pattern: '^(?=.*user)(?=.*list)' },
  { pattern: 'zzzzqqqq' },
  { pattern: '\\d{3,}' },
  { pattern: '(?i)pay(ment)?s?' },
  { pattern: 'list_(?!all)' },
  { pattern: '[Dd]elete|[Rr]emove' },
  { pattern: '\\w+ing\\b.*\\.$' },
];

const A = 'a'.repeat(40);
const HOSTILE = [
  { pattern: '(a+)+$', text: `${A}!` },
  { pattern: '(a|a)*$', text: `${A}!` },
  { pattern: '(a|aa)+$', text: `${A}!` },
  { pattern: '(a*)*b', text: A },
  { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', text: 'a'.repeat(60) },
  { pattern: '(x+x+)+y', text: 'x'.repeat(60) },
  { pattern: '(.*)*=.*', text: 'x'.repeat(60) },
  { pattern: '(\\w+\\s?)*$', text: `${'word'.repeat(12)}!` },
  { pattern: '([a-zA-Z]+)*\\d', text: 'a'.repeat(60) },
  { pattern: '(?:.*a){20}', text: 'a'.repeat(19) + 'b'.repeat(200) },
  { pattern: '^(.*?,){25}P', text: '1,'.repeat(60) },
  { pattern: '(a?){40}a{40}', text: A },
];
