import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { areShortcutsOn, setShortcuts } from './use-shortcuts.ts';

/** Keys that do the same are apart: each has a frame of its own. */
const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'Focus the search or filter of the screen'],
  [['g p'], 'Playground'],
  [['g a'], 'Activity'],
  [['g s'], 'Servers'],
  [['g k'], 'Savings and keys'],
  [['j', '↓'], 'Next row'],
  [['k', '↑'], 'Previous row'],
  [['Enter', '→'], 'Unfold the row'],
  [['←', 'Esc'], 'Fold it'],
  [['e'], 'Save the search as an evaluation case'],
  [['w'], 'Why not this tool?'],
  [['Space'], 'Pause or resume the live list'],
  [['y'], 'Copy a link to this view'],
  [['?'], 'This list'],
];

export function ShortcutsDialog(props: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Dialog title="Keyboard" {...props}>
      <dl className="keys">
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
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
        <Button type="submit">Close</Button>
      </form>
    </Dialog>
  );
}
