import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Focus the search or filter of the screen'],
  ['g p', 'Playground'],
  ['g a', 'Activity'],
  ['g s', 'Servers'],
  ['g k', 'Savings and keys'],
  ['j / k', 'Next or previous row'],
  ['Enter', 'Unfold or fold the row'],
  ['e', 'Save the search as an evaluation case'],
  ['w', 'Why not this tool?'],
  ['Space', 'Pause or resume the live list'],
  ['y', 'Copy a link to this view'],
  ['?', 'This list'],
];

export function ShortcutsDialog(props: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard" {...props}>
      <dl className="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="actions">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </Dialog>
  );
}
