import type { DefinitionChange } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { diffLines, diffWords } from './diff-lines.ts';

/** What a definition was and is, field by field: in a card only the lines around a change, whole where it is decided about. */
export function DefinitionDiff(props: { readonly change: DefinitionChange; readonly isWhole?: boolean }): ReactNode {
  const { change, isWhole = false } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a pointer
    <section className={`diff${isWhole ? ' whole' : ''}`} aria-label="What changed" tabIndex={0}>
      {change.fields.map(({ field, before, after }) => (
        <section key={field} aria-label={`${field}, before and after`}>
          <p className="field-name">{field}</p>
          <Lines before={before ?? ''} after={after ?? ''} isWhole={isWhole} />
        </section>
      ))}
    </section>
  );
}

/** How many lines that stayed are shown on each side of a change. */
const CONTEXT_LINES = 1;

function Lines(props: { readonly before: string; readonly after: string; readonly isWhole: boolean }): ReactNode {
  const { before, after, isWhole } = props;
  const lines = diffLines(before, after);
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' ');
  return lines.map(({ sign, text }, index) => {
    if (!isWhole && !isNear(index)) return null;
    const other = lines[index - 1];
    const added = sign === '+' && other?.sign === '-' ? diffWords(other.text, text) : undefined;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one change never move
      <p key={index} className={sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same'}>
        <span aria-hidden="true">{sign === '-' ? '−' : sign}</span>
        <span className="hidden-text">{sign === '+' ? 'now: ' : sign === '-' ? 'before: ' : ''}</span>
        {added === undefined ? (
          text
        ) : (
          <>
            {added.before}
            <ins>{added.added}</ins>
            {added.after}
          </>
        )}
      </p>
    );
  });
}
