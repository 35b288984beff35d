import { type ReactNode, useState } from 'react';
import { plain } from './numbers.ts';

/** A table with more rows than this takes a while to draw, and nobody reads it from top to bottom. */
const MOST_ROWS = 100;

/** The first rows of a long table, and a button that shows the others. */
export function useFirstRows<Row>(rows: readonly Row[], noun: string): readonly [readonly Row[], ReactNode] {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || rows.length <= MOST_ROWS) return [rows, null];
  return [
    rows.slice(0, MOST_ROWS),
    <p key="more" className="more-rows">
      <button type="button" className="link small" onClick={() => setWhole(true)}>
        All {plain(rows.length)} {noun}
      </button>
    </p>,
  ];
}
