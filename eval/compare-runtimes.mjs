// `node eval/compare-runtimes.mjs [FOLDER]`: a digest of the reranker's vectors of 300 texts with the onnxruntime-node that is installed in a folder
// (`npm install --ignore-scripts onnxruntime-node@VERSION`). Versions with the same digest give the same figures. One version a process.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { loadReranker } from '@quartermaster/reranker';

const MOST = 300;
const services = new URL('../packages/semantic/training/services/office.jsonl', import.meta.url);
const lines = readFileSync(services, 'utf8').trim().split('\n');
const texts = lines
  .map((line) => JSON.parse(line))
  .flatMap(({ tools, requests }) => [
    ...tools.map(({ description }) => description),
    ...requests.map(({ query }) => query),
  ])
  .slice(0, MOST);

const [folder = '.'] = process.argv.slice(2);
const require = createRequire(resolve(folder, 'package.json'));
const { version } = JSON.parse(
  readFileSync(resolve(folder, 'node_modules', 'onnxruntime-node', 'package.json'), 'utf8'),
);
const embedder = await loadReranker({
  importModule: async (name) => require(name),
  onUnavailable: (reason) => console.error(`${folder}: ${reason}`),
});
if (embedder === undefined) process.exit(1);
const hash = createHash('sha256');
for (const text of texts) {
  const { embeddings } = await embedder.doEmbed({ values: [text] });
  hash.update(Float32Array.from(embeddings[0]));
}
console.log(`onnxruntime-node ${version}: ${texts.length} texts, ${hash.digest('hex').slice(0, 16)}`);
