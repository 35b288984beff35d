import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Which package may import which: core ← semantic ← wires ← host ← mcp ← agent, gateway ← cli, and core ← reranker ← host. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  semantic: ['core'],
  reranker: ['core'],
  wires: ['core', 'semantic'],
  host: ['core', 'semantic', 'reranker', 'wires'],
  mcp: ['core', 'semantic', 'wires', 'host'],
  agent: ['core', 'semantic', 'wires', 'host', 'mcp'],
  gateway: ['core', 'semantic', 'wires', 'host', 'mcp'],
  client: [],
  console: ['client'],
  cli: ['core', 'semantic', 'reranker', 'wires', 'host', 'mcp', 'agent', 'gateway', 'client', 'console'],
};

/** Which folder of core may import which: the stages of the flow, in order, and the entries that publish them. */
const CORE_STAGES: Readonly<Record<string, readonly string[]>> = {
  catalog: [],
  gate: ['catalog'],
  search: ['catalog'],
  disclosure: ['catalog', 'gate', 'search'],
  dispatch: ['catalog', 'gate', 'search', 'disclosure'],
  loop: ['catalog', 'gate', 'search', 'disclosure', 'dispatch'],
  run: ['catalog', 'gate', 'search', 'disclosure', 'dispatch', 'loop'],
  testing: ['catalog', 'gate', 'search', 'disclosure', 'dispatch', 'loop'],
  entries: ['catalog', 'gate', 'search', 'disclosure', 'dispatch', 'loop', 'run', 'testing'],
};

const root = fileURLToPath(new URL('..', import.meta.url));
const packagesFolder = join(root, 'packages');
const imports = sourceFiles(packagesFolder).flatMap(importsOf);

describe('allowed imports', () => {
  it('finds imports to look at', () => {
    expect(imports.length).toBeGreaterThan(50);
  });

  it('no package imports one that stands after it', () => {
    const wrong = imports.filter(({ from, target }) => {
      const name = packageNamed(target);
      return name !== undefined && name !== packageOf(from) && !PACKAGES[packageOf(from)]?.includes(name);
    });
    expect(wrong).toEqual([]);
  });

  it('a package reaches another only by its name', () => {
    const wrong = imports.filter(({ from, target }) => {
      return target.startsWith('.') && packageOf(resolve(dirname(from), target)) !== packageOf(from);
    });
    expect(wrong).toEqual([]);
  });

  it('core depends on nothing: no package, no node:', () => {
    const wrong = imports.filter(
      ({ from, target }) => packageOf(from) === 'core' && !target.startsWith('.') && !isTest(from),
    );
    expect(wrong).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(packagesFolder, 'core', 'package.json'), 'utf8')) as object;
    expect(Object.keys(manifest)).not.toContain('dependencies');
    expect(Object.keys(manifest)).not.toContain('peerDependencies');
  });

  it('inside core, no stage imports one that stands after it', () => {
    const wrong = imports.filter(({ from, target }) => {
      if (packageOf(from) !== 'core' || !target.startsWith('.') || isTest(from)) return false;
      const [stage, other] = [stageOf(from), stageOf(resolve(dirname(from), target))];
      if (stage === undefined || other === undefined || stage === other) return false;
      return !CORE_STAGES[stage]?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('the files at the root of core, which every stage imports, import no stage', () => {
    const rootFile = /^core\/src\/(?!index\.ts$)[^/]+$/;
    const atRoot = imports.filter(({ from }) => rootFile.test(relative(packagesFolder, from).replaceAll(sep, '/')));
    expect(atRoot.length).toBeGreaterThan(3);
    const wrong = atRoot.filter(({ from, target }) => {
      return !isTest(from) && target.startsWith('.') && stageOf(resolve(dirname(from), target)) !== undefined;
    });
    expect(wrong).toEqual([]);
  });

  it('another stage of core is imported through its index, or what it shares beyond that', () => {
    const wrong = imports.filter(({ from, target }) => {
      if (packageOf(from) !== 'core' || !target.startsWith('.')) return false;
      const file = resolve(dirname(from), target);
      const [stage, other] = [stageOf(from), stageOf(file)];
      return (
        stage !== undefined &&
        other !== undefined &&
        stage !== other &&
        !/(\/index|\/internal|\.fixture)\.ts$/.test(file)
      );
    });
    expect(wrong).toEqual([]);
  });
});

interface Import {
  readonly from: string;
  readonly target: string;
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...found].map((match) => ({ from: file, target: match[1] ?? match[2] ?? match[3] ?? '' }));
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !['node_modules', 'dist', 'training'].includes(name))
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return sourceFiles(path);
      return /\.tsx?$/.test(name) ? [path] : [];
    });
}

function packageOf(file: string): string {
  return relative(packagesFolder, file).split(sep)[0] ?? '';
}

function packageNamed(target: string): string | undefined {
  if (target === 'quartermaster') return 'cli';
  return /^@quartermaster\/([a-z]+)/.exec(target)?.[1];
}

function stageOf(file: string): string | undefined {
  const [folder, stage, rest] = relative(join(packagesFolder, 'core'), file).split(sep);
  return folder === 'src' && rest !== undefined ? stage : undefined;
}

function isTest(file: string): boolean {
  return /\.(test|fixture)\.tsx?$/.test(file);
}
