import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

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
