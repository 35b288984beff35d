import type { Virtualizer } from '@tanstack/react-virtual';

/** What covers the page at its top and, on phones, at its bottom. */
export const COVERED_PX = 72;

/** Scrolls to a row of a virtual list, unless it is in sight already, at least `leastPx` of it. */
export function showRow(
  list: Virtualizer<Window, Element>,
  { index, leastPx = 0 }: { readonly index: number; readonly leastPx?: number },
): void {
  const row = list.measurementsCache[index];
  const isSeen =
    row !== undefined &&
    row.start >= scrollY + COVERED_PX &&
    Math.max(row.end, row.start + leastPx) <= scrollY + innerHeight - COVERED_PX;
  // Its top is then in sight, however tall it is.
  if (!isSeen) list.scrollToIndex(index, { align: 'start' });
}
