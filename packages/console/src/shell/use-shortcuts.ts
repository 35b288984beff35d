import { useEffect, useRef } from 'react';

/** What a key does. A second letter makes a sequence: `g p`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The key that begins every sequence. */
const PREFIX = 'g';

/** How long a sequence waits for its second key. */
const SEQUENCE_MS = 1_000;

const STORED = 'quartermaster-shortcuts';

/** Speech input and some screen readers send single keys without meaning them: people can turn them off. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(STORED) !== 'off';
}

export function setShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'off');
}

/** Single keys act only outside of fields, so that typing never triggers them. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let first: number | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isField(event.target)) return;
      if (!areShortcutsOn() || document.querySelector('dialog[open]') !== null) return;
      // The second key of a sequence has no other meaning, on this or any other part of the page.
      const isSecond = first !== undefined && event.timeStamp - first < SEQUENCE_MS;
      first = !isSecond && event.key === PREFIX ? event.timeStamp : undefined;
      latest.current[isSecond ? `${PREFIX} ${event.key}` : event.key]?.(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
