import type { Shortcuts } from './use-shortcuts.ts';

/** Keys that walk through the rows of a screen. A row is a button with `aria-expanded` that carries `data-row-button`. */
export function rowShortcuts(onFold: () => void): Shortcuts {
  return {
    j: walk(1),
    k: walk(-1),
    ArrowDown: walk(1),
    ArrowUp: walk(-1),
    ArrowRight: () => press('false'),
    ArrowLeft: () => press('true'),
    Escape: onFold,
  };
}

function walk(step: number): (event: KeyboardEvent) => void {
  return (event) => {
    event.preventDefault();
    const rows = rowButtons();
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[at < 0 ? startOf(rows, step) : Math.min(rows.length - 1, Math.max(0, at + step))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
}

/** Where nothing has the focus, the walk begins at the unfolded row, or at the first. */
function startOf(rows: readonly HTMLElement[], step: number): number {
  const open = rows.findIndex((row) => row.getAttribute('aria-expanded') === 'true');
  return open < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, open + step));
}

/** In the order on the screen: rows of a virtual list are elsewhere in the document. */
function rowButtons(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-row-button]')].sort(
    (left, right) => left.getBoundingClientRect().top - right.getBoundingClientRect().top,
  );
}

/** Unfolds or folds the row that has the focus. */
function press(whenExpanded: 'true' | 'false'): void {
  const row = document.activeElement;
  if (row instanceof HTMLElement && row.dataset.rowButton !== undefined && row.ariaExpanded === whenExpanded) {
    row.click();
  }
}
