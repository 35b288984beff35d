import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExports, readLocal } from './read-declarations.mjs';

/** The packages whose names people import, in the order of the reference. */
export const PACKAGES = ['core', 'semantic', 'reranker', 'wires', 'host', 'mcp', 'agent', 'gateway', 'client', 'cli'];

/** Every public entry point: its import path and the names that it exports. Entry points that promise nothing are left out. */
export function entryPoints(root) {
  return PACKAGES.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    return Object.entries(manifest.exports).flatMap(([path, target]) => {
      if (target.types === undefined || UNSTABLE.has(path)) return [];
      const exported = readExports(join(root, 'packages', folder, target.types));
      return [
        {
          name: `${manifest.name}${path.slice(1)}`,
          page: `${[folder, ...path.split('/').slice(1)].join('-')}.md`,
          exported: exported.filter(({ kind }) => kind !== 'foreign'),
          foreign: exported.filter(({ kind }) => kind === 'foreign'),
        },
      ];
    });
  });
}

const UNSTABLE = new Set(['./internal']);

/** Types that are written from the gateway's OpenAPI document, which describes them. */
const FROM_OPENAPI = /client\/dist\/api\.d\.ts$/;

/** The pages of the reference, by file name. */
export function renderReference(root) {
  const entries = entryPoints(root);
  return new Map([
    ['index.md', renderIndex(entries)],
    ...entries.map((entry) => /** @type {const} */ ([entry.page, renderEntry(entry, entries)])),
  ]);
}

/** Public names without a doc comment, or marked as internal, and links of the pages that lead nowhere. */
export function findProblems(root) {
  const entries = entryPoints(root);
  const undocumented = entries.flatMap(({ name: from, exported }) =>
    exported.flatMap(({ name, doc, file }) => {
      if (doc === undefined && FROM_OPENAPI.test(file)) return [];
      if (doc === undefined) return [`${name} of ${from} has no doc comment`];
      return doc.includes('@internal') ? [`${name} of ${from} is marked @internal, but exported`] : [];
    }),
  );
  const pages = renderReference(root);
  const broken = [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([\w-]*\.?m?d?)#([\w-]+)\)/g)].flatMap(([, target, anchor]) => {
      const headings = (pages.get(target || file) ?? '').matchAll(/^### (.+)$/gm);
      return [...headings].some(([, title]) => title.toLowerCase() === anchor)
        ? []
        : [`${file} links to ${target}#${anchor}`];
    }),
  );
  return [...new Set(undocumented), ...broken];
}

function renderIndex(entries) {
  const rows = entries.map(({ name, page, exported }) => `| [\`${name}\`](${page}) | ${exported.length} |`);
  return page([
    '# API reference',
    'Made from the doc comments in the code by `npm run reference`. The [library guide](../../guides/library.md) explains what to use when.',
    ['| import from | names |', '|---|---|', ...rows].join('\n'),
  ]);
}

function renderEntry(entry, entries) {
  const homes = homesOf(entry, entries);
  const kinds = KINDS.flatMap(([title, kind]) => {
    const members = entry.exported.filter((one) => kind.includes(one.kind)).sort((a, b) => (a.name < b.name ? -1 : 1));
    return members.length === 0 ? [] : [`## ${title}`, ...members.flatMap((one) => renderName(one, homes))];
  });
  const hidden = hiddenIn(entry, homes);
  const foreign = entry.foreign.map(({ name, target }) => `- \`${name}\`, from \`${target}\``);
  return page([
    `# ${entry.name}`,
    ...kinds,
    ...(hidden.length === 0 ? [] : ['## Used above, not exported', ...hidden.flatMap((one) => renderName(one, homes))]),
    ...(foreign.length === 0 ? [] : ['## From other packages', foreign.join('\n')]),
  ]);
}

const KINDS = [
  ['Functions', ['function']],
  ['Classes', ['class']],
  ['Constants', ['const', 'enum']],
  ['Types', ['interface', 'type']],
];

function renderName(declared, homes) {
  const { text, example } = readDoc(declared.doc);
  const code = declared.texts
    .map((one) => one.replace(/^export (?:declare )?/, '').replace(/^ {4}/gm, '  '))
    .join('\n');
  const related = relatedTo(declared, homes);
  return [
    `### ${declared.name}`,
    ...(text === '' ? [] : [wrap(text)]),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(example === undefined ? [] : ['Example:', `\`\`\`ts\n${example}\n\`\`\``]),
    ...(related.length === 0 ? [] : [wrap(`See ${related.join(', ')}.`)]),
  ];
}

/** Links to the names that a declaration uses. */
function relatedTo(declared, homes) {
  return wordsIn(declared)
    .filter((word) => word !== declared.name && homes.has(word))
    .map((word) => `[${word}](${homes.get(word)})`);
}

/** Types that public declarations use, and theirs, although no entry point exports them. */
function hiddenIn(entry, homes) {
  const found = new Map();
  const visit = (declared) => {
    for (const word of wordsIn(declared)) {
      if (homes.has(word) || found.has(word)) continue;
      const local = readLocal(declared.file, word);
      if (local?.kind !== 'interface' && local?.kind !== 'type') continue;
      found.set(word, local);
      visit(local);
    }
  };
  entry.exported.forEach(visit);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names in a declaration, without those in comments and texts. */
function wordsIn({ texts }) {
  const code = texts.join('\n').replace(/\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"/g, '');
  return [...new Set(code.match(/\b[A-Z]\w+\b/g) ?? [])].sort();
}

/** Where each name is described, seen from a page: there if it can be, otherwise at the first entry point that has it. */
function homesOf(entry, entries) {
  const homes = new Map();
  const add = ({ exported, page: file }) => {
    for (const { name } of exported) {
      if (!homes.has(name)) homes.set(name, `${file === entry.page ? '' : file}#${name.toLowerCase()}`);
    }
  };
  for (const one of [entry, ...entries]) add(one);
  return homes;
}

/** A doc comment as Markdown, and the code of its example. */
export function readDoc(doc = '') {
  const body = doc
    .replace(/^\/\*\*\s?/, '')
    .replace(/\s*\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, ''))
    .join('\n');
  const [text, example] = body.split(/^@example\s*$/m);
  const plain = text
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .replace(/@default /g, 'Default: ')
    .replace(/\s*@param (\S+) /g, '\n\n`$1`: ')
    .trim();
  return { text: plain, example: example?.trim() };
}

function page(blocks) {
  return `${blocks.join('\n\n')}\n`;
}

/** Paragraphs at 100 columns, as every document here. */
function wrap(text) {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => {
      const lines = [];
      let line = '';
      for (const word of paragraph.split(/\s+/)) {
        if (line !== '' && line.length + word.length + 1 > 100) {
          lines.push(line);
          line = word;
        } else line = line === '' ? word : `${line} ${word}`;
      }
      return [...lines, line].join('\n');
    })
    .join('\n\n');
}
