// `npm run lab -- NAME`: puts a running gateway under stress, and fails if it does not cope. Everything stays on this machine.
//   npm run lab                  what there is
//   npm run lab -- lists         10,000 different lists of tools against limits.indexCacheBytes; fails on memory
//   npm run lab -- soak          20 minutes of mixed work; fails on memory, open handles and the wait of another client
//   npm run lab -- load          500 streams, slow clients and bodies of 10,000 tools at once; fails if one is lost or another waits long
//   npm run lab -- misbehave     hosts of models and MCP servers that break off, hang, lie and flood; fails on any 500 or a missing answer
//   npm run lab -- mcp-clients   hostile clients of /mcp, without sessions and with them; fails on any 500, another key's session, memory and a long wait
//   npm run lab -- fuzz          a million random cases against oracles: patterns, schemas, queries, settings, streams, requests
//   npm run lab -- database      two gateways on a PostgreSQL that is broken in every way; fails on any 500
//   npm run lab -- kills         gateways killed 200 times on each store while they work on batches; fails on a lost or doubled result
//   npm run lab -- loop-delay    hostile queries, bodies and catalogs; fails if another client waits long
//   npm run lab -- cold-initialize   mcp and gateway in front of servers that hang; fails if initialize, or a call of another server, takes more than a second
//   npm run lab -- console       10,000 tools in the console; fails on a task of the page over 50 ms, or a first paint over a second
//   npm run lab -- scale         catalogs of 1,000 to 100,000 tools in memory and in PostgreSQL: build, query, bytes; --million adds one;
//                                scale 1000000 --no-postgres measures that in memory alone; --keep FOLDER keeps the databases
// soak, lists, load, misbehave, mcp-clients, kills, fuzz, loop-delay and database take a file as their last argument, and draw what they measured
// into it.
// Each file of this folder that exports `run` is one of them.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`${name === undefined ? '' : `Unknown scenario "${name}". `}npm run lab -- ${names.join(' | ')}`);
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const { run } = await import(`./${name}.mjs`);
  const problems = await run(args);
  for (const problem of problems) console.error(`FAILED: ${problem}`);
  console.log(problems.length === 0 ? `${name}: passed` : `${name}: ${problems.length} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
