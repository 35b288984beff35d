import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface CodeBlock {
  /** The document and the line that the block begins at. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** All code blocks of what people read: guides, pages of the site, README files. */
export function codeBlocks(): readonly CodeBlock[] {
  return documents().flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
      place: `${document}:${text.slice(0, match.index).split('\n').length}`,
      language: match[1] ?? '',
      text: match[2] ?? '',
    }));
  });
}

function documents(): readonly string[] {
  const packages = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
    ...['bench/README.md', 'deploy/README.md', 'eval/README.md', 'examples/README.md', 'examples/catalog/README.md'],
    ...packages.map(({ name }) => `packages/${name}/README.md`),
    ...markdownIn('docs'),
  ];
}

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|api|\.)/.test(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith('.md') && path !== 'docs/reference/command-line.md' ? [path] : [];
  });
}
