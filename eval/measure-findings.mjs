// Counts what findSuspicions finds in catalogs of real servers: node eval/measure-findings.mjs FILE… (JSON lines, may be gzipped)
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { findSuspicions } from '@quartermaster/mcp';

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean);
  const definitions = lines.flatMap((line) => definitionsIn(JSON.parse(line)));
  const found = definitions
    .map((one) => ({ name: one.name, finds: findSuspicions(one) }))
    .filter(({ finds }) => finds.length);
  const share = ((100 * found.length) / Math.max(1, definitions.length)).toFixed(2);
  console.log(`${file}: ${found.length} of ${definitions.length} definitions (${share}%)`);
  for (const { name, finds } of found)
    console.log(`  ${name}: ${finds[0].kind} at ${finds[0].at}: ${finds[0].excerpt}`);
}

/** A line is a definition, or a server with its tools. */
function definitionsIn(record) {
  const list = Array.isArray(record.tools) ? record.tools : [record];
  return list.map(({ input_schema: schema, ...rest }) => ({ inputSchema: schema, ...rest })).filter(({ name }) => name);
}
