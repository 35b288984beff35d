import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type CodeBlock, codeBlocks } from './document-blocks.fixture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'document-blocks');

it('TypeScript in documents has no type errors', () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const blocks = codeBlocks().filter(({ language, text }) => language === 'ts' && !isPartOfTheSource(text));
  expect(blocks.length).toBeGreaterThan(30);
  const names = new Map(blocks.map((block, index) => [`block-${index}.ts`, block]));
  for (const [name, block] of names) writeFileSync(join(folder, name), moduleOf(block, blocks));
  writeFileSync(join(folder, 'surroundings.d.ts'), SURROUNDINGS);
  const compilerOptions = { incremental: false, tsBuildInfoFile: null };
  const settings = { extends: join(root, 'tsconfig.test.json'), compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
  expect(
    errors.map((line) => line.replace(/^.*?(block-\d+\.ts)/, (_, name) => names.get(name)?.place ?? name)),
  ).toEqual([]);
}, 120_000);

/** A block that shows a file of a package is compiled there. */
function isPartOfTheSource(text: string): boolean {
  return text.includes("from './");
}

/** A block as a module, with the imports that earlier blocks of its document have. */
function moduleOf(block: CodeBlock, blocks: readonly CodeBlock[]): string {
  const document = documentOf(block);
  const earlier = blocks.slice(0, blocks.indexOf(block)).filter((one) => documentOf(one) === document);
  const own = new Set(importedNames(block.text));
  const inherited = new Map<string, string>();
  for (const { text } of earlier) {
    for (const line of importsIn(text)) for (const name of importedNames(line)) inherited.set(name, line);
  }
  const used = [...inherited].filter(([name]) => !own.has(name) && new RegExp(`\\b${name}\\b`).test(block.text));
  const lines = used.map(([name, line]) => line.replace(/\{[^}]*\}/, `{ ${name} }`));
  // Options are written without their type, as people write them.
  const body = document.endsWith('agent.md')
    ? block.text.replace(/^const options =/m, "const options: import('@quartermaster/agent').Options =")
    : block.text;
  return `${lines.join('\n')}\n${body}\nexport {};\n`;
}

function documentOf({ place }: CodeBlock): string {
  return place.replace(/:\d+$/, '');
}

function importsIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('import '));
}

function importedNames(text: string): readonly string[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]+)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().replace(/^type /, '')),
  );
}

const UNTYPED = [
  ...['tools', 'execute', 'model', 'max_tokens', 'messages', 'baseURL', 'apiKey', 'options', 'anyModel', 'call'],
  ...['memory', 'myModel', 'openInBrowser', 'sessionId', 'inputSchema', 'weatherOf', 'askModel', 'log', 'toolbox'],
  ...['plan', 'read', 'settings', 'snapshot', 'searcher', 'embeddingModel', 'rerankingModel', 'modelUrl', 'askUser'],
  ...['withoutSecrets', 'readOnly', 'anthropic', 'findTools', 'verdict', 'createMySearcher', 'createMyCache'],
  ...['createMyStore', 'myWire', 'sample'],
];

/** What the text around a block introduces. Everything else must come from the packages. */
const SURROUNDINGS = [
  ...UNTYPED.map((name) => `declare const ${name}: any;`),
  "declare const hits: readonly import('@quartermaster/core/search').Hit[];",
  "declare module '@ai-sdk/cohere' { export const cohere: any }",
].join('\n');
