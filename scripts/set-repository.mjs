// set-repository.mjs URL: writes `repository`, `homepage` and `bugs` into every package's manifest, before it is published.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [url = ''] = process.argv.slice(2);
if (!/^https:\/\/[^/\s]+\/[^/\s]+\/[^/\s]+$/.test(url)) {
  console.error('usage: node scripts/set-repository.mjs https://HOST/OWNER/NAME');
  process.exit(2);
}
const packages = fileURLToPath(new URL('../packages/', import.meta.url));
for (const folder of readdirSync(packages)) {
  const file = `${packages}${folder}/package.json`;
  if (!existsSync(file)) continue;
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.repository = { type: 'git', url: `git+${url}.git`, directory: `packages/${folder}` };
  manifest.homepage = `${url}/tree/HEAD/packages/${folder}#readme`;
  manifest.bugs = { url: `${url}/issues` };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`${manifest.name}: ${manifest.homepage}`);
}
