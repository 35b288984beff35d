import { type CommandIo, print, write } from '../command-io.ts';
import { type Column, renderTable } from './render-table.ts';

export interface RowList<Row> {
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
  const named = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  return print(io, rows.length === 0 ? none : renderTable(named, rows.map(cellsOf)));
}
