import type { DefinitionChange } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { diffLines } from './diff-lines.ts';

/** What a definition was and is, field by field. */
export function DefinitionDiff({ change }: { readonly change: DefinitionChange }): ReactNode {
  return (
    <div className="diff">
      {change.fields.map(({ field, before, after }) => (
        <section key={field} aria-label={`${field}, before and after`}>
          <h4>{field}</h4>
          {diffLines(before ?? '', after ?? '').map(({ sign, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one change never move
            <p key={index} className={sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same'}>
              <span aria-hidden="true">{sign === '-' ? '−' : sign}</span>
              <span className="hidden-text">{sign === '+' ? 'now: ' : sign === '-' ? 'before: ' : ''}</span>
              {text}
            </p>
          ))}
        </section>
      ))}
    </div>
  );
}
