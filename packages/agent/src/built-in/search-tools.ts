import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { compilePattern } from '@quartermaster/core/regex';
import { type BuiltInMaker, builtIn, pathIn, textIn } from './built-in-tool.ts';
import { readText, shortLine } from './file-tools.ts';

const MOST_ENTRIES = 50_000;
const MOST_RESULTS = 500;
const MOST_PATTERN_CHARACTERS = 200;
const MOST_LINE_CHARACTERS = 300;
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const FOLDER = { type: 'string', description: 'Where to look; the working folder by default' };

export const createGlobTool: BuiltInMaker = (confinement) =>
  builtIn({
    name: 'Glob',
    description: 'Finds files by a pattern of their path, such as **/*.ts. Leaves out .git and node_modules.',
    properties: { pattern: { type: 'string', description: 'Such as src/**/*.{ts,md}' }, path: FOLDER },
    required: ['pattern'],
    subject: (input) => confinement.shown(pathIn(input, 'path', confinement)),
    async run(input, signal) {
      const folder = pathIn(input, 'path', confinement);
      const fits = compileFileGlob(textIn(input, 'pattern'));
      const { files, cut } = await listFiles(folder, signal);
      const found = files.filter((file) => fits(relative(folder, file))).map(confinement.shown);
      return report(found, cut, 'No file fits.');
    },
  });

export const createGrepTool: BuiltInMaker = (confinement) =>
  builtIn({
    name: 'Grep',
    description: 'Finds lines by a regular expression of Python. Leaves out .git and node_modules.',
    properties: {
      pattern: { type: 'string', description: 'A regular expression; (?i) at its start ignores case' },
      path: { type: 'string', description: 'A file or folder; the working folder by default' },
      glob: { type: 'string', description: 'Only files whose path fits, such as **/*.ts' },
      output_mode: { type: 'string', enum: ['content', 'files_with_matches'], description: 'Lines, or paths alone' },
    },
    required: ['pattern'],
    subject: (input) => confinement.shown(pathIn(input, 'path', confinement)),
    async run(input, signal) {
      const start = pathIn(input, 'path', confinement);
      const pattern = compilePattern(textIn(input, 'pattern'));
      const fits = compileFileGlob(textIn(input, 'glob') || '**');
      const { files, cut } = await listFiles(start, signal);
      const found: string[] = [];
      let unread = 0;
      for (const file of files) {
        signal.throwIfAborted();
        if (found.length > MOST_RESULTS) break;
        if (file !== start && !fits(relative(start, file))) continue;
        const lines = (await readText(file, confinement).catch(() => undefined))?.split('\n');
        if (lines === undefined) unread += 1;
        for (const [index, line] of (lines ?? []).entries()) {
          if (found.length > MOST_RESULTS) break;
          if (!pattern.test(line)) continue;
          if (input.output_mode !== 'content') {
            found.push(confinement.shown(file));
            break;
          }
          found.push(`${confinement.shown(file)}:${index + 1}: ${shortLine(line, MOST_LINE_CHARACTERS)}`);
        }
      }
      return report(found, cut, 'No line matches.', unread);
    },
  });

function report(found: readonly string[], cut: string | undefined, nothing: string, unread = 0): string {
  const notes = [
    ...(found.length > MOST_RESULTS ? [`[The first ${MOST_RESULTS} of them. Look for less.]`] : []),
    ...(cut === undefined ? [] : [cut]),
    ...(unread > 0 ? [`[Files that were not searched, because they are not text or too large: ${unread}]`] : []),
  ];
  return [...(found.length === 0 ? [nothing] : found.slice(0, MOST_RESULTS)), ...notes].join('\n');
}

interface FileList {
  readonly files: readonly string[];
  /** Says that there are more results. */
  readonly cut: string | undefined;
}

/** Files below a folder, in order. Links are not followed. */
export async function listFiles(start: string, signal: AbortSignal, most: number = MOST_ENTRIES): Promise<FileList> {
  const files: string[] = [];
  let seen = 0;
  const folders = [start];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    signal.throwIfAborted();
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR' && folder === start) files.push(start);
      return [];
    });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const isFolder = entry.isDirectory() && !SKIPPED.has(entry.name);
      if (!isFolder && !entry.isFile()) continue;
      if (seen === most) return { files, cut: `[Stopped after ${most} files and folders. Look in a folder.]` };
      seen += 1;
      (isFolder ? folders : files).push(join(folder, entry.name));
    }
  }
  return { files, cut: undefined };
}

/** `**` matches folders, `*` and `?` match within a name, `{a,b}` is a choice. Runs on our engine, which no pattern can stall. */
function compileFileGlob(glob: string): (path: string) => boolean {
  if (glob.length > MOST_PATTERN_CHARACTERS)
    throw new Error(`A pattern has at most ${MOST_PATTERN_CHARACTERS} characters`);
  const source = glob.replace(/\*\*\/?|[*?{},]|[.+^$()|[\]\\]/g, (part) => GLOB_PARTS[part] ?? `\\${part}`);
  const pattern = compilePattern(`^(?:${source})$`, { maxLength: 20 * MOST_PATTERN_CHARACTERS });
  return (path) => pattern.test(path);
}

const GLOB_PARTS: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
};
