import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const YAML = [
  ...readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`),
  ...readdirSync(join(root, '.github/ISSUE_TEMPLATE')).map((name) => `.github/ISSUE_TEMPLATE/${name}`),
  '.github/actions/lint/action.yml',
  'deploy/compose.yaml',
  'deploy/prometheus/alerts.yaml',
  'deploy/quartermaster.yaml',
  'deploy/kubernetes/gateway.yaml',
];

describe('files for servers and workflows', () => {
  it.each(YAML)('%s is valid YAML', (path) => {
    expect(parseAllDocuments(read(path)).flatMap((document) => ('errors' in document ? document.errors : []))).toEqual(
      [],
    );
  });

  it('workflows run scripts that there are', () => {
    const named = YAML.filter((path) => path.includes('workflows')).flatMap((path) =>
      [...read(path).matchAll(/npm run ([\w:-]+)|^ +- '?((?:lab|check):?[\w-]*)/gm)].map(
        ([, one, two]) => one ?? two ?? '',
      ),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('the settings beside compose and in the config map are ones that the gateway takes', () => {
    const documents = parseAllDocuments(read('deploy/kubernetes/gateway.yaml')).map(
      (document) => document.toJS() as { kind: string; data?: Record<string, string> },
    );
    const map = documents.find(({ kind }) => kind === 'ConfigMap')?.data?.['quartermaster.yaml'] ?? '';
    expect(parse(map)).toEqual(parse(read('deploy/quartermaster.yaml')));
    const env = { ANTHROPIC_API_KEY: 'secret', QUARTERMASTER_KEY: 'qm-0123456789abcdef0123456789abcdef' };
    const config = loadConfig({ path: join(root, 'deploy/quartermaster.yaml'), env });
    expect(config.upstreams).toHaveLength(1);
    expect(config.deferral).toBe('auto');
    // A gateway that listens beyond loopback does not start without one.
    expect(config.keys).toHaveLength(1);
  });

  it('the dashboard and the alerts use metrics and labels that there are', () => {
    const known = new Set(read('docs/reference/metrics.md').match(/quartermaster_\w+/g));
    const text = read('deploy/grafana/dashboard.json') + read('deploy/prometheus/alerts.yaml');
    expect(JSON.parse(read('deploy/grafana/dashboard.json'))).toMatchObject({ title: 'Quartermaster' });
    const used = new Set((text.match(/quartermaster_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, '')));
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
    expect(used.size).toBeGreaterThan(8);
    for (const name of read('deploy/prometheus/alerts.yaml').match(/(?<=alert: )\w+/g) ?? []) {
      expect(read('docs/operations/monitoring.md')).toContain(`\`${name}\``);
    }
  });

  it('the image holds what the command needs', () => {
    const copied = [...read('Dockerfile').matchAll(/\/app\/(\S+) \.\//g)].map(([, path]) => path);
    expect(copied).toEqual(['package.json', 'node_modules', 'packages', 'examples/catalog']);
  });
});

describe('the action that lints a catalog', () => {
  const action = parse(read('.github/actions/lint/action.yml')) as {
    readonly inputs: Record<string, unknown>;
    readonly runs: { readonly steps: readonly { readonly env?: Record<string, string>; readonly run?: string }[] };
  };

  it('passes on inputs that there are', () => {
    const passed = action.runs.steps.flatMap(({ env = {} }) =>
      Object.values(env).flatMap((value) => /inputs\.([\w-]+)/.exec(value)?.[1] ?? []),
    );
    expect(new Set(passed)).toEqual(new Set(Object.keys(action.inputs)));
  });

  it('lints the files that it is given, writes SARIF, and fails on what lint fails on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartermaster-action-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sarif = join(folder, 'out.sarif');
    const run = (max: string) =>
      promisify(execFile)('bash', [join(root, '.github/actions/lint/lint.sh')], {
        env: {
          PATH: process.env.PATH,
          ...{ TOOLS: 'examples/catalog/services/weather.json', MAX_TOKENS: max, SARIF: sarif },
          ACTION_PATH: join(root, '.github/actions/lint'),
        },
        cwd: root,
      });
    await run('');
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' });
    await expect(run('100')).rejects.toMatchObject({ code: 1 });
  }, 60_000);
});

describe('versions', () => {
  it('are the same in all packages, which changesets raise together', () => {
    const { fixed } = JSON.parse(read('.changeset/config.json')) as { readonly fixed: readonly (readonly string[])[] };
    expect(fixed).toEqual([['quartermaster', '@quartermaster/*']]);
    const packages = readdirSync(join(root, 'packages'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => JSON.parse(read(`packages/${name}/package.json`)) as { name: string; version: string });
    expect(packages.filter(({ name }) => !/^(@quartermaster\/.+|quartermaster)$/.test(name))).toEqual([]);
    expect(new Set(packages.map(({ version }) => version)).size).toBe(1);
  });

  it('have each kind of change once in the changelog: a merge can leave an old list below a new one', () => {
    for (const section of read('CHANGELOG.md').split(/^## /m).slice(1)) {
      const kinds = [...section.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind);
      expect(kinds).toEqual([...new Set(kinds)]);
      const entries = [...section.matchAll(/^- (.{30})/gm)].map(([, start]) => start);
      expect(entries).toEqual([...new Set(entries)]);
    }
  });

  it('are those that the changelog, the gateway and the MCP client name', () => {
    const { version } = JSON.parse(read('packages/cli/package.json')) as { readonly version: string };
    expect(/^## (\d\S*)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
    expect(read('packages/gateway/src/routes/status-routes.ts')).toContain(`VERSION = '${version}'`);
    expect(read('packages/mcp/src/hub/hub-options.ts')).toContain(`version: '${version}'`);
  });
});
