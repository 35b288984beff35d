import { ApiFailure } from '@quartermaster/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { gateway, rememberKey } from '../api/gateway.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { CATALOGS, type useKeyRefused } from './use-key-refused.ts';

const TITLES = {
  'never-had-one': 'This gateway needs a key',
  'no-longer': 'The gateway no longer accepts this key',
  accepted: 'Use another key',
};

/** Shown when the gateway has keys and this page has none that it accepts, or where another is wanted. */
export function KeyDialog(props: {
  readonly isOpen: boolean;
  /** Why the page can't go on without one. Undefined where it can. */
  readonly refused: ReturnType<typeof useKeyRefused>;
  readonly onClose: () => void;
}): ReactNode {
  const { isOpen, refused, onClose } = props;
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get('key');
    if (typeof key !== 'string' || key.trim() === '') return;
    rememberKey(key.trim());
    try {
      // Known to have been accepted from here on: a later refusal is of this key, also if it is the next answer.
      queries.setQueryData(CATALOGS, await gateway.request('GET /v1/catalogs'));
      setProblem(undefined);
      onClose();
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(error instanceof ApiFailure && error.status === 401 ? 'The gateway refused this key.' : String(error));
    }
  };
  return (
    <Dialog title={TITLES[refused ?? 'accepted']} isOpen={isOpen} onClose={onClose} isRequired={refused !== undefined}>
      <form onSubmit={(event) => void submit(event)} className="stack">
        <label htmlFor="api-key">API key</label>
        <div className="field">
          <input id="api-key" name="key" type="password" autoComplete="off" spellCheck={false} />
        </div>
        <p className="faint">Kept in this tab’s memory only. Closing the tab forgets it.</p>
        {problem === undefined ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="actions">
          <Button type="submit" look="primary">
            Use key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
