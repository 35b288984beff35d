import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);

function manifestOf(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

describe.each(folders)('packages/%s', (folder) => {
  const manifest = manifestOf(join(root, 'packages', folder, 'package.json'));

  it('says what people and bundlers need to know, and is published with provenance', () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\.$/),
      license: 'MIT',
      engines: { node: '>=20.19' },
      files: expect.arrayContaining(['dist']),
      publishConfig: { access: 'public', provenance: true },
    });
    expect((manifest.keywords as readonly string[]).length).toBeGreaterThanOrEqual(3);
    expect(manifest).toHaveProperty('sideEffects');
  });

  it('names no repository, homepage or bug tracker: the release workflow fills in its own address', () => {
    for (const field of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(field);
  });
});

describe('set-repository', () => {
  it('writes the address into every manifest', () => {
    const copy = mkdtempSync(join(tmpdir(), 'manifests-'));
    try {
      mkdirSync(join(copy, 'scripts'));
      cpSync(join(root, 'scripts/set-repository.mjs'), join(copy, 'scripts/set-repository.mjs'));
      for (const folder of folders) {
        mkdirSync(join(copy, 'packages', folder), { recursive: true });
        cpSync(join(root, 'packages', folder, 'package.json'), join(copy, 'packages', folder, 'package.json'));
      }
      execFileSync(process.execPath, [join(copy, 'scripts/set-repository.mjs'), 'https://git.test/shop/tools']);
      for (const folder of folders) {
        expect(manifestOf(join(copy, 'packages', folder, 'package.json'))).toMatchObject({
          repository: { type: 'git', url: 'git+https://git.test/shop/tools.git', directory: `packages/${folder}` },
          homepage: `https://git.test/shop/tools/tree/HEAD/packages/${folder}#readme`,
          bugs: { url: 'https://git.test/shop/tools/issues' },
        });
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

describe('set-version', () => {
  const CONSTANTS = ['packages/gateway/src/routes/status-routes.ts', 'packages/mcp/src/hub/hub-options.ts'];
  const FILES = [...CONSTANTS, 'scripts/set-version.mjs', 'packages/cli/package.json', 'packages/host/package.json'];
  const { version } = manifestOf(join(root, 'packages/cli/package.json')) as { readonly version: string };

  /** The repository after changesets have raised the version. */
  function raised(unreleased: string, next = '7.8.9') {
    const copy = mkdtempSync(join(tmpdir(), 'version-'));
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    for (const file of FILES) cpSync(join(root, file), join(copy, file), { recursive: true });
    const manifest = { ...manifestOf(join(copy, 'packages/cli/package.json')), version: next };
    writeFileSync(join(copy, 'packages/cli/package.json'), JSON.stringify(manifest));
    const changelog = `# Changelog\n\n## Unreleased\n${unreleased}\n## ${version} - 2020-01-01\n\n- Old\n`;
    writeFileSync(join(copy, 'CHANGELOG.md'), changelog);
    // An npm that only notes that it was called.
    mkdirSync(join(copy, 'bin'));
    writeFileSync(join(copy, 'bin/npm'), '#!/bin/sh\necho "$@" > npm-arguments\n', { mode: 0o755 });
    const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
    const env = { ...process.env, PATH: `${join(copy, 'bin')}:${process.env.PATH}` };
    const run = () => spawnSync(process.execPath, ['scripts/set-version.mjs'], { cwd: copy, env, encoding: 'utf8' });
    return { read, run };
  }

  it('dates what is unreleased, and writes the version wherever it stands', () => {
    const { read, run } = raised('\n### Added\n- New\n');
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('All packages are 7.8.9') });
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n### Added\n- New\n\n## [\d.]+ - 2020-01-01\n\n- Old\n$/,
    );
    for (const file of CONSTANTS) expect(read(file)).toContain("'7.8.9'");
    expect(read('packages/host/package.json')).toContain('"@quartermaster/reranker": ">=7.8.9"');
    expect(read('npm-arguments')).toContain('--package-lock-only');
  });

  it('changes nothing without a changeset, or if the changelog says nothing', () => {
    for (const [unreleased, next, message] of [
      ['\n- New\n', version, 'npm run changeset'],
      ['', '7.8.9', 'nothing under "Unreleased"'],
    ] as const) {
      const { read, run } = raised(unreleased, next);
      const before = read('CHANGELOG.md');
      expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
      expect(read('CHANGELOG.md')).toBe(before);
    }
  });

  it('can raise a minor version: no package is the peer of another by one exact version', () => {
    // Changesets raise the major version of a package whose peer leaves its range.
    const peers = folders.flatMap((folder) =>
      Object.entries((manifestOf(join(root, 'packages', folder, 'package.json')).peerDependencies ?? {}) as object),
    );
    const ours = peers.filter(([name]) => name.startsWith('@quartermaster/'));
    expect(ours).toEqual([['@quartermaster/reranker', `>=${version}`]]);
    const config = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')) as Record<string, unknown>;
    expect(config.___experimentalUnsafeOptions_WILL_CHANGE_IN_PATCH).toEqual({
      onlyUpdatePeerDependentsWhenOutOfRange: true,
    });
  });
});
