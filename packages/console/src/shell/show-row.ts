import type { Virtualizer } from '@tanstack/react-virtual';

/** What covers the page at its top and, on phones, at its bottom. */
const COVERED_PX = 72;

/** Scrolls to a row of a virtual list, unless it is in sight already. */
export function showRow(list: Virtualizer<Window, Element>, index: number): void {
  const row = list.measurementsCache[index];
  const isSeen =
    row !== undefined && row.start >= scrollY + COVERED_PX && row.end <= scrollY + innerHeight - COVERED_PX;
  if (!isSeen) list.scrollToIndex(index, { align: 'center' });
}
