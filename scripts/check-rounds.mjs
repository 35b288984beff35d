// Plays random rounds of parallel calls through every wire, form and way to answer, and checks what the next requests hold:
//   npm run check:rounds -- N
// N is about how many rounds are played in all; 100,000 by default. Prints how many it were in each wire. npm test plays a few of them.
import { spawnSync } from 'node:child_process';

const [given = '100000'] = process.argv.slice(2);
const rounds = Number(given);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`"${given}" is not a number of rounds. Usage: npm run check:rounds -- 100000`);
  process.exit(2);
}

/** Rounds that one conversation of each property makes in all wires and forms together, as counted. */
const ROUNDS_PER_CONVERSATION = 500;
const conversations = Math.ceil(rounds / ROUNDS_PER_CONVERSATION);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '-t',
    'rounds of parallel calls',
    'wire.test.ts',
    '--disable-console-intercept',
  ],
  { stdio: 'inherit', env: { ...process.env, QUARTERMASTER_CONVERSATIONS: String(conversations) } },
);
process.exit(status ?? 1);
