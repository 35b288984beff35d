// `npm run check:documented-examples [LANGUAGE…]`: runs the quick start of the Messages API's documentation with Anthropic's SDK of each
// language, against a gateway with the mock model. Only the address differs, and comes from the environment. Each SDK is installed into a
// temporary folder from its language's own registry, or from where the language's own settings point: GOPROXY, a nuget.config above the
// temporary folder, or CLASSPATH with the jars of the Java SDK. A language whose programs this machine lacks is skipped, with the reason,
// unless it was named. An SDK that can't be installed is a failure in CI, and for a language that was named. Build the packages first.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { configuredUpstreams, createGateway, serve } from '@quartermaster/gateway';

const EXAMPLES = fileURLToPath(new URL('../packages/gateway/src/documented-examples/', import.meta.url));

/** `needs`: programs that must be there. `install`: gets the SDK. `run`: prints the response. Both in a folder with the example. */
const LANGUAGES = {
  curl: { file: 'quick-start.sh', needs: ['curl'], install: [], run: ['sh', 'quick-start.sh'] },
  python: {
    file: 'python/quick_start.py',
    needs: ['python3'],
    install: [
      ['python3', '-m', 'venv', 'sdk'],
      ['sdk/bin/pip', 'install', '--quiet', '--disable-pip-version-check', 'anthropic'],
    ],
    run: ['sdk/bin/python', 'quick_start.py'],
  },
  ruby: {
    file: 'quick-start.rb',
    needs: ['ruby', 'gem'],
    install: [['gem', 'install', '--no-document', '--install-dir', 'sdk', 'anthropic']],
    run: ['ruby', 'quick-start.rb'],
    env: (folder) => ({ GEM_PATH: join(folder, 'sdk') }),
  },
  go: {
    file: 'quick-start.go',
    needs: ['go'],
    install: [
      ['go', 'mod', 'init', 'example'],
      ['go', 'get', 'github.com/anthropics/anthropic-sdk-go@latest'],
    ],
    run: ['go', 'run', '.'],
    env: (folder) => ({ GOPATH: join(folder, 'go'), GOFLAGS: '-modcacherw' }),
  },
  php: {
    file: 'quick-start.php',
    needs: ['php', 'composer'],
    install: [
      ['composer', 'require', '--no-interaction', '--no-plugins', '--quiet', 'anthropic-ai/sdk', 'guzzlehttp/guzzle'],
    ],
    run: ['php', '-d', 'auto_prepend_file=vendor/autoload.php', 'quick-start.php'],
    env: (folder) => ({ COMPOSER_HOME: join(folder, 'composer') }),
  },
  csharp: {
    file: 'quick-start.cs',
    needs: ['dotnet'],
    install: [
      ['dotnet', 'new', 'console', '--force', '--output', '.', '--name', 'example'],
      ['rm', 'Program.cs'],
      ['dotnet', 'add', 'package', 'Anthropic'],
    ],
    run: ['dotnet', 'run'],
    env: (folder) => ({ DOTNET_CLI_HOME: folder, NUGET_PACKAGES: join(folder, 'packages') }),
  },
  java: {
    file: 'QuickStart.java',
    // A file without a class needs Java 25.
    oldest: { program: ['java', '--version'], major: 25 },
    ...((process.env.CLASSPATH ?? '') === ''
      ? {
          needs: ['java', 'mvn'],
          install: [
            [
              'mvn',
              '--batch-mode',
              '--quiet',
              'dependency:get',
              '-Dmaven.repo.local=repository',
              '-Dartifact=com.anthropic:anthropic-java:LATEST',
            ],
          ],
          run: ['sh', '-c', 'java --class-path "$(find repository -name "*.jar" | tr "\\n" ":")" QuickStart.java'],
        }
      : { needs: ['java'], install: [], run: ['java', 'QuickStart.java'] }),
  },
};

const NEVER = {
  'the ant command': 'its example is a request in YAML, which npm test sends',
  delphi: 'there is no free compiler for this platform; npm test sends what its example sends',
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(LANGUAGES, name));
if (unknown !== undefined) {
  console.error(`Unknown language ${JSON.stringify(unknown)}; allowed: ${Object.keys(LANGUAGES).join(', ')}`);
  process.exit(2);
}

const upstreams = configuredUpstreams([{ models: ['*'], provider: 'rehearsal', toolSearch: 'local' }]);
const server = await serve({ gateway: createGateway({ upstreams, workerUrl: false }), port: 0, hasKeys: false });
const folder = mkdtempSync(join(tmpdir(), 'quartermaster-examples-'));
const counts = { ok: 0, FAILED: 0, skipped: 0 };
try {
  for (const [name, language] of Object.entries(LANGUAGES)) {
    if (wanted.length === 0 || wanted.includes(name)) await check(name, language);
  }
  if (wanted.length === 0) for (const [name, reason] of Object.entries(NEVER)) report('skipped', name, reason);
} finally {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
}
console.log(`${counts.ok} ok, ${counts.FAILED} failed, ${counts.skipped} skipped`);
if (counts.ok + counts.FAILED === 0) console.error('No example ran, so nothing was checked');
process.exitCode = counts.FAILED > 0 || counts.ok === 0 ? 1 : 0;

async function check(name, language) {
  const missing = await lackOf(language);
  const isNamed = wanted.includes(name);
  if (missing !== undefined) return report(isNamed ? 'FAILED' : 'skipped', name, missing);
  const own = join(folder, name);
  mkdirSync(own);
  copyFileSync(join(EXAMPLES, language.file), join(own, language.file.replace(/^.*\//, '')));
  const env = { ...process.env, ...language.env?.(own) };
  try {
    for (const command of language.install) await execute(command, { cwd: own, env });
  } catch (error) {
    const isExpected = isNamed || (process.env.CI ?? '') !== '';
    return report(isExpected ? 'FAILED' : 'skipped', name, `its SDK can't be installed: ${endOf(error)}`);
  }
  try {
    const address = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'none' };
    const printed = await execute(language.run, { cwd: own, env: { ...env, ...address } });
    // The search, and the call of the tool that it found.
    const lost = ['srvtoolu_call_1', 'toolu_call_2', 'get_weather'].find((part) => !printed.includes(part));
    if (lost === undefined) report('ok', name, 'searches, finds get_weather and calls it');
    else report('FAILED', name, `it printed no ${lost}: ${printed.slice(0, 600)}`);
  } catch (error) {
    report('FAILED', name, endOf(error));
  }
}

/** Why a language can't be tried here; undefined where it can. */
async function lackOf({ needs, oldest }) {
  for (const program of needs) {
    const isThere = await execute(['sh', '-c', `command -v ${program}`]).catch(() => undefined);
    if (isThere === undefined) return `there is no ${program}`;
  }
  if (oldest === undefined) return undefined;
  const said = await execute(oldest.program);
  const major = Number(/\d+/.exec(said)?.[0]);
  return major >= oldest.major ? undefined : `${oldest.program[0]} is ${major}; its example needs ${oldest.major}`;
}

async function execute([program, ...args], options = {}) {
  const { stdout } = await promisify(execFile)(program, args, {
    timeout: 300_000,
    maxBuffer: 64 * 1024 ** 2,
    ...options,
  });
  return stdout;
}

/** What a failed program said last. */
function endOf(error) {
  return `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().slice(-600) || error.message;
}

function report(standing, name, text) {
  counts[standing] += 1;
  console.log(`${standing.padEnd(8)}${name}: ${text}`);
}
