import type { ReactNode } from 'react';

/** Text that scrolls in a box of its own. Tab reaches it, so that the keyboard can scroll it, too. */
export function RawText({ label, children }: { readonly label: string; readonly children: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a pointer
    <section className="raw" aria-label={label} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}
