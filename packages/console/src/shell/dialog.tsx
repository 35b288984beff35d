import { type ReactNode, useEffect, useRef } from 'react';

/** The browser's own dialog: it traps focus, closes on Escape and hides the rest from screen readers. */
export function Dialog(props: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { title, isOpen, onClose, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={ref} className="dialog" onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {isOpen ? children : null}
    </dialog>
  );
}
