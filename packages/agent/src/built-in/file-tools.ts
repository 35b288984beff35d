import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cutText } from '@quartermaster/core/internal';
import { type BuiltInMaker, builtIn, pathIn, textIn } from './built-in-tool.ts';
import { type Confinement, readWhole, writeWhole } from './confinement.ts';
import type { FileCheckpoints } from './file-checkpoints.ts';

const MOST_BYTES = 10 * 1024 * 1024;
const MOST_LINES = 2_000;
const MOST_LINE_CHARACTERS = 2_000;
const PATH = { type: 'string', description: 'Path of the file, absolute or relative to the working folder' };

export const createReadTool: BuiltInMaker = (confinement) =>
  builtIn({
    name: 'Read',
    description: 'Reads a text file. The answer has numbered lines.',
    properties: {
      file_path: PATH,
      offset: { type: 'integer', minimum: 1, description: 'The first line to read' },
      limit: { type: 'integer', minimum: 1, description: `How many lines; at most ${MOST_LINES}` },
    },
    required: ['file_path'],
    subject: (input) => confinement.shown(pathIn(input, 'file_path', confinement)),
    async run(input) {
      const lines = (await readText(pathIn(input, 'file_path', confinement), confinement)).split('\n');
      const first = Number(input.offset ?? 1);
      const last = Math.min(lines.length, first - 1 + Math.min(Number(input.limit ?? MOST_LINES), MOST_LINES));
      const shown = lines
        .slice(first - 1, last)
        .map((line, index) => `${first + index}\t${shortLine(line, MOST_LINE_CHARACTERS)}`);
      const rest = last < lines.length ? [`[Lines ${first} to ${last} of ${lines.length}. Read on with offset.]`] : [];
      return [...shown, ...rest].join('\n') || `[The file has ${lines.length} lines.]`;
    },
  });

export const createWriteTool: BuiltInMaker = (confinement, checkpoints) =>
  builtIn({
    name: 'Write',
    description: 'Writes a text file, in place of what is there. Folders are made as needed.',
    properties: { file_path: PATH, content: { type: 'string', description: 'The whole text' } },
    required: ['file_path', 'content'],
    changes: 'files',
    subject: (input) => confinement.shown(pathIn(input, 'file_path', confinement)),
    async run(input) {
      const path = pathIn(input, 'file_path', confinement);
      await mkdir(dirname(path), { recursive: true });
      // Checked again: a link may have been created where a folder was missing.
      await writeText(confinement.real(path), textIn(input, 'content'), confinement, checkpoints);
      return `Wrote ${confinement.shown(path)}.`;
    },
  });

export const createEditTool: BuiltInMaker = (confinement, checkpoints) =>
  builtIn({
    name: 'Edit',
    description: 'Replaces a text in a file. The text must be there once, unless replace_all is set.',
    properties: {
      file_path: PATH,
      old_string: { type: 'string', minLength: 1, description: 'The text to replace, exactly as it is in the file' },
      new_string: { type: 'string', description: 'What to put in its place' },
      replace_all: { type: 'boolean', description: 'Whether every occurrence is replaced' },
    },
    required: ['file_path', 'old_string', 'new_string'],
    changes: 'files',
    subject: (input) => confinement.shown(pathIn(input, 'file_path', confinement)),
    async run(input) {
      const path = pathIn(input, 'file_path', confinement);
      const text = await readText(path, confinement);
      const [before, after] = [textIn(input, 'old_string'), textIn(input, 'new_string')];
      const parts = text.split(before);
      const found = parts.length - 1;
      if (found === 0) throw new Error('old_string is not in the file. Read it, and copy the text exactly.');
      if (found > 1 && input.replace_all !== true) {
        throw new Error(
          `old_string occurs ${found} times in the file. Include more of the surrounding text, or set replace_all.`,
        );
      }
      // Checked before it is built: a few calls could fill the memory.
      checkLength(text.length + found * (after.length - before.length));
      await writeText(path, parts.join(after), confinement, checkpoints);
      return `Replaced ${found} in ${confinement.shown(path)}.`;
    },
  });

export async function readText(path: string, confinement: Confinement): Promise<string> {
  const bytes = await readWhole(path, MOST_BYTES, confinement);
  if ('tooLarge' in bytes) throw new Error(`${path} has ${bytes.tooLarge} bytes; at most ${MOST_BYTES} are read`);
  if (bytes.includes(0)) throw new Error(`${path} is not a text file`);
  return bytes.toString('utf8');
}

export function shortLine(line: string, most: number): string {
  return line.length <= most ? line : `${cutText(line, most)} [cut: the line has ${line.length} characters]`;
}

function checkLength(bytes: number): void {
  if (bytes > MOST_BYTES) throw new Error(`At most ${MOST_BYTES} bytes are written, not ${bytes}`);
}

async function writeText(
  path: string,
  text: string,
  confinement: Confinement,
  checkpoints?: FileCheckpoints,
): Promise<void> {
  checkLength(Buffer.byteLength(text));
  await checkpoints?.keep(path);
  await writeWhole(path, text, confinement);
}
