import { ApiFailure } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { askForKey } from './ask-for-key.ts';

/** Why something can't be shown, and what to do about it. A gateway that is away is reported at the top of the page. */
export function Problem({ error, what }: { readonly error: Error | null; readonly what: string }): ReactNode {
  if (error === null || (error instanceof ApiFailure && error.status === 0)) return null;
  const isRefused = error instanceof ApiFailure && error.status === 403;
  return (
    <div className="problem-line" role="alert">
      <p className="problem">{isRefused ? `This key can’t read ${what}.` : error.message}</p>
      {isRefused ? (
        <>
          <p className="small dim">{error.message}</p>
          <button type="button" className="button" onClick={askForKey}>
            Use another key
          </button>
        </>
      ) : null}
    </div>
  );
}
