import { type CommandIo, print, write } from '../command-io.ts';
import { columnsOf } from './columns.ts';

/** One column of a table. */
export interface Column {
  readonly title: string;
  /** @default 'left' */
  readonly align?: 'left' | 'right';
}

/** A column of figures. */
export function right(title: string): Column {
  return { title, align: 'right' };
}

/** Rows under their titles, padded with spaces, two between columns. Cells are plain text. */
export function renderTable(titles: readonly (string | Column)[], rows: readonly (readonly string[])[]): string {
  const columns = titles.map((column): Column => (typeof column === 'string' ? { title: column } : column));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => columnsOf(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => pad(cells[index] ?? '', widths[index] ?? 0, align ?? 'left'))
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - columnsOf(text)));
  return align === 'left' ? text + space : space + text;
}

interface RowList<Row> {
  readonly rows: readonly Row[];
  /** Whether to print each as a line of JSON. */
  readonly isJson: boolean;
  readonly columns: readonly (string | Column)[];
  cellsOf(row: Row): readonly string[];
  /** What to print if there are none. */
  readonly none: string;
}

/** Prints a list as the answer of a command. */
export function printRows<Row>(
  io: Pick<CommandIo, 'stdout'>,
  { rows, isJson, columns, cellsOf, none }: RowList<Row>,
): Promise<void> {
  if (isJson) return write(io.stdout, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return print(io, rows.length === 0 ? none : renderTable(columns, rows.map(cellsOf)));
}
