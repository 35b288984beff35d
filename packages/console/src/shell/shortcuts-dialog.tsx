import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { areShortcutsOn, setShortcuts } from './use-shortcuts.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Focus the search or filter of the screen'],
  ['g p', 'Playground'],
  ['g a', 'Activity'],
  ['g s', 'Servers'],
  ['g k', 'Savings and keys'],
  ['j / k, ↓ / ↑', 'Next or previous row'],
  ['Enter, →', 'Unfold the row'],
  ['←, Esc', 'Fold it'],
  ['e', 'Save the search as an evaluation case'],
  ['w', 'Why not this tool?'],
  ['Space', 'Pause or resume the live list'],
  ['y', 'Copy a link to this view'],
  ['?', 'This list'],
];

export function ShortcutsDialog(props: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const [isOn, setOn] = useState(areShortcutsOn);
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
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setShortcuts(target.checked);
            setOn(target.checked);
          }}
        />
        Single keys do this
      </label>
      <form method="dialog" className="actions">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </Dialog>
  );
}
