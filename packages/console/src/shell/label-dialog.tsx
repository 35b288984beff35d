import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { useAddHint, useSaveCase } from '../api/labels.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './problem.tsx';

/** What is said about a search. */
export interface Label {
  readonly query: string;
  readonly catalog: string;
  /** Likely tools, the likeliest first. */
  readonly tools: readonly string[];
}

/** The longest hint that the gateway takes. */
const MOST_HINT = 200;

/** Buttons for a search: a case says which tool is right, a hint makes it found. Both need a person to choose the tool. */
export function LabelButtons({
  query,
  catalog,
  tools,
  withHint = true,
}: Label & { readonly withHint?: boolean }): ReactNode {
  const [purpose, setPurpose] = useState<'case' | 'hint'>();
  const [chosen, setChosen] = useState<string>();
  const tool = chosen ?? tools[0] ?? '';
  const save = useSaveCase(catalog);
  const add = useAddHint(catalog);
  const [act, isHint] = purpose === 'hint' ? [add, true] : [save, false];
  const close = (): void => setPurpose(undefined);
  const listId = useId();
  // Half of a character at the cut is no text.
  const hint = query.slice(0, MOST_HINT).replace(/[\uD800-\uDBFF]$/, '');
  return (
    <>
      {withHint ? (
        <Button look="ghost" disabled={add.isSuccess} onClick={() => setPurpose('hint')}>
          {add.isSuccess ? 'Hint added' : 'Add hint…'}
        </Button>
      ) : null}
      <Button disabled={save.isSuccess} onClick={() => setPurpose('case')}>
        {save.isSuccess ? 'Saved as a case' : withHint ? 'Make a case…' : 'Save as case…'}
      </Button>
      <Dialog title={isHint ? 'Add a hint' : 'Make a case'} isOpen={purpose !== undefined} onClose={close}>
        <div className="stack">
          <p className="quoted">“{isHint ? hint : query}” should find</p>
          <div className="field">
            <input
              aria-label="Tool"
              list={listId}
              autoComplete="off"
              spellCheck={false}
              value={tool}
              onChange={({ target }) => setChosen(target.value)}
            />
          </div>
          <datalist id={listId}>
            {tools.map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
          <p className="small dim">
            {isHint
              ? `${hint === query ? 'The query' : `A hint has at most ${MOST_HINT} characters, so the text above, a part of the query,`} is added to the words that find this tool, as a new version of the catalog “${catalog}”. No model sees it.`
              : `The gateway keeps the case with the catalog “${catalog}”. The playground measures it.`}
          </p>
        </div>
        <Failure look="small" error={act.error} />
        <div className="actions">
          <Button
            look="primary"
            disabled={tool === '' || act.isPending}
            onClick={() => {
              if (isHint) add.mutate({ tool, hint }, { onSuccess: close });
              else save.mutate({ query, tools: [tool] }, { onSuccess: close });
            }}
          >
            {isHint ? 'Add hint' : 'Save case'}
          </Button>
          <Link className="button" to="/playground" search={{ q: query, catalog, ...(tool === '' ? {} : { tool }) }}>
            Open in playground
          </Link>
          <Button look="ghost" onClick={close}>
            Close
          </Button>
        </div>
      </Dialog>
    </>
  );
}
