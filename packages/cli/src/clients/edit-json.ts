import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import type { ServerEdit } from './edit-servers.ts';

/** Edits JSON with comments in place. */
export function editJson(text: string, { block, remove, add }: ServerEdit): string {
  // A byte order mark is not part of the document.
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const formattingOptions = formattingOf(text);
  const put = (current: string, path: readonly string[], value: unknown): string =>
    applyEdits(current, modify(current, [...path], value, { formattingOptions }));
  const taken = remove.reduce((current, name) => put(current, [...block, name], undefined), text.slice(mark.length));
  const edited = Object.entries(add).reduce((current, [name, entry]) => put(current, [...block, name], entry), taken);
  return mark + edited.replace(LONE_COMMA, '');
}

/** The last server's trailing comma can leave a line with only a comma before the end of the block. JSON strings have no line breaks. */
const LONE_COMMA = /\r?\n[ \t]*,(?=\s*\})/g;

/** The indentation of the file. */
function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
