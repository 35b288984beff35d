// `npm run check:supply [FOLDER]`: what users install with the packages: a bill of materials, licences, known vulnerabilities.
// The first two come from package-lock.json and node_modules; the last asks the registry, and says so where it could not.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Licences that ask for no more than to be named. */
const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
];
const folder = process.argv[2];
let problems = 0;

const packages = listInstalled();
console.log(`Packages that users install: ${packages.length}`);
checkLicences(packages);
writeBill(packages);
audit();
process.exitCode = problems === 0 ? 0 : 1;

/** What is not for development alone, with what its own package.json says. */
function listInstalled() {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(locked).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.dev === true || entry.link === true) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version, integrity, optional = false } = entry;
    return [{ name, version, integrity, licence: entry.license ?? licenceOf(path), isOptional: optional }];
  });
}

function licenceOf(path) {
  try {
    const { license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return typeof license === 'string' ? license : license?.type;
  } catch {
    return undefined;
  }
}

function checkLicences(list) {
  const counts = new Map();
  for (const { name, version, licence = 'unknown' } of list) {
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
    const choices = licence.replaceAll(/[()]/g, '').split(' OR ');
    const isAllowed = choices.some((choice) => choice.split(' AND ').every((one) => ALLOWED.includes(one)));
    if (isAllowed) continue;
    problems += 1;
    console.error(`FAILED: ${name} ${version} has the licence "${licence}", which is not among ${ALLOWED.join(', ')}`);
  }
  const shown = [...counts].sort((left, right) => right[1] - left[1]).map(([licence, count]) => `${count} ${licence}`);
  console.log(`Licences: ${shown.join(', ')}`);
}

/** CycloneDX 1.5, as far as it goes without the registry. */
function writeBill(list) {
  const components = list.map(({ name, version, licence, integrity, isOptional }) => ({
    type: 'library',
    ...{ name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}` },
    ...(isOptional ? { scope: 'optional' } : {}),
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
    ...(integrity === undefined ? {} : { hashes: [readHash(integrity)] }),
  }));
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components };
  if (folder === undefined) {
    console.log(`Bill of materials: ${components.length} components (name a folder to write bom.json there)`);
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bom.json'), `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`Bill of materials: ${join(folder, 'bom.json')}`);
}

function readHash(integrity) {
  const [algorithm, base64] = integrity.split(/-(.*)/s);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') };
}

/** Only what the registry says counts: without it nothing is known, and that is no all-clear. */
function audit() {
  const npm = process.env.npm_execpath;
  const args = ['audit', '--omit=dev', '--json'];
  const [command, given] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  const { stdout, error } = spawnSync(command, given, { cwd: root, encoding: 'utf8', timeout: 120_000 });
  const answer = parse(stdout);
  const found = answer?.metadata?.vulnerabilities;
  if (found === undefined) {
    const reason = error?.message ?? answer?.message ?? answer?.error?.summary ?? 'no answer that can be read';
    console.log(`Known vulnerabilities: NOT CHECKED, npm audit could not run (${String(reason).split('\n')[0]})`);
    return;
  }
  console.log(`Known vulnerabilities: ${found.total}`);
  if (found.total === 0) return;
  problems += 1;
  console.error(`FAILED: ${Object.keys(answer.vulnerabilities).join(', ')}; see npm audit --omit=dev`);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
