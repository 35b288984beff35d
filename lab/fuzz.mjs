// Fuzzers, each against an oracle or a rule that must hold. A case that fails prints its seed; a seed that once found something is kept
// in `fuzz/seeds.json` and played again at the start of every run.
import { readFileSync, writeFileSync } from 'node:fs';
import { drawBars } from '../bench/draw-bars.mjs';
import { createRandom } from './fuzz/random.mjs';

/** Which share of the cases each takes: those that go through a gateway cost most. */
const SHARES = { regex: 0.3, sse: 0.25, query: 0.15, schema: 0.15, config: 0.05, wire: 0.1 };
const CASES = 1_000_000;
const SHORT_CASES = 6_000;
/** Cases of one seed: a failure is played again by that seed alone. */
const ROUND = 20_000;
const KEPT_CASES = 500;
const MOST_SHOWN = 5;

/** `npm run lab -- fuzz [cases] [seed] [fuzzer | all] [file to draw into]`; `short` for a few thousand cases. */
/** @param {string[]} words */
export async function run([cases = String(CASES), given = String(Date.now() % 2 ** 31), only = 'all', picture]) {
  if (only !== 'all' && SHARES[only] === undefined)
    return [`"${only}" is not a fuzzer: ${Object.keys(SHARES).join(', ')} or all`];
  const isShort = cases === 'short';
  const total = isShort ? SHORT_CASES : Number(cases);
  const first = isShort ? 20_261_116 : Number(given);
  const kept = JSON.parse(readFileSync(new URL('fuzz/seeds.json', import.meta.url), 'utf8'));
  const problems = [];
  const bars = [];
  let all = 0;
  console.log(`seed ${first}`);
  for (const [name, share] of Object.entries(SHARES)) {
    if (only !== 'all' && only !== name) continue;
    const { fuzz } = await import(`./fuzz/${name}.mjs`);
    const wanted = Math.ceil(only === 'all' ? total * share : total);
    const rounds = [
      ...(kept[name] ?? []).map((seed) => ({ seed, count: isShort ? 100 : KEPT_CASES })),
      ...Array.from({ length: Math.ceil(wanted / ROUND) }, (_, round) => ({
        seed: first + round,
        count: Math.min(ROUND, wanted - round * ROUND),
      })),
    ];
    const started = performance.now();
    let done = 0;
    let failed = 0;
    let told = '';
    for (const { seed, count } of rounds) {
      const { cases: run, problems: found = [], note = '' } = await fuzz(createRandom(seed), count);
      done += run;
      failed += found.length;
      told = note;
      problems.push(...found.slice(0, MOST_SHOWN).map((problem) => `${name}, seed ${seed}: ${problem}`));
    }
    all += done;
    bars.push({ label: `${name}: ${failed} failed`, value: done, isOurs: true });
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(
      `${name.padEnd(8)} ${String(done).padStart(8)} cases in ${seconds} s, ${failed} failed${told === '' ? '' : ` (last round: ${told})`}`,
    );
  }
  console.log(`${all} cases in all`);
  if (picture !== undefined) writeFileSync(picture, draw(bars, first));
  return problems;
}

function draw(bars, seed) {
  const title = `Random cases of each fuzzer, and how many failed; seed ${seed}`;
  return drawBars([{ title, bars }], {
    isLinear: true,
    labelWidth: 150,
    note: 'Each case is checked against an oracle or a rule.',
  });
}
