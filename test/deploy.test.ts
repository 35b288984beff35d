import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
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
  'deploy/compose.yaml',
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
      [...read(path).matchAll(/npm run ([\w:-]+)|'((?:lab|check):?[\w-]*)[ ']/g)].map(
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
    const config = loadConfig({ path: join(root, 'deploy/quartermaster.yaml'), env: { ANTHROPIC_API_KEY: 'secret' } });
    expect(config.upstreams).toHaveLength(1);
    expect(config.deferral).toBe('auto');
  });

  it('the image holds what the command needs', () => {
    const copied = [...read('Dockerfile').matchAll(/\/app\/(\S+) \.\//g)].map(([, path]) => path);
    expect(copied).toEqual(['package.json', 'node_modules', 'packages', 'examples/catalog']);
  });
});
