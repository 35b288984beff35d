import { ApiFailure } from '@quartermaster/client';
import type { ReactNode } from 'react';
import { askForKey } from './ask-for-key.ts';
import { Button } from './button.tsx';

/** What the frame of the page reports: a gateway that is away, and one that asks for a key. */
const REPORTED_ABOVE = new Set([0, 401]);

/** Why something can't be shown, and what to do about it. */
export function Problem({ error, what }: { readonly error: Error | null; readonly what: string }): ReactNode {
  if (error === null || (error instanceof ApiFailure && REPORTED_ABOVE.has(error.status))) return null;
  const isRefused = error instanceof ApiFailure && error.status === 403;
  return (
    <div className="problem-line" role="alert">
      <p className="problem">{isRefused ? `This key can’t read ${what}.` : error.message}</p>
      {isRefused ? (
        <>
          <p className="small dim">{error.message}</p>
          <Button onClick={askForKey}>Use another key</Button>
        </>
      ) : null}
    </div>
  );
}

/** What went wrong, beside the button that asked for it. */
export function Failure({
  error,
  look = '',
}: {
  readonly error: Error | null;
  readonly look?: 'small' | '';
}): ReactNode {
  if (error === null) return null;
  return (
    <p className={`problem ${look}`.trim()} role="alert">
      {error.message}
    </p>
  );
}
