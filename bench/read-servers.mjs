import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Servers as {server, tools}: from the lines of a file, packed or not, or the services of the sample catalog. */
export function readServers(path) {
  return { servers: path === undefined ? readSample() : readLines(path), isSample: path === undefined };
}

function readSample() {
  const services = fileURLToPath(new URL('../examples/catalog/services/', import.meta.url));
  return readdirSync(services).map((name) => JSON.parse(readFileSync(`${services}${name}`, 'utf8')));
}

function readLines(path) {
  const bytes = readFileSync(path);
  const lines = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (!lines.every((line) => Array.isArray(line.tools))) throw new Error(`${path}: each line must be {server, tools}`);
  return lines;
}
