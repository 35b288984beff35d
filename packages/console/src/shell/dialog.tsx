import { type ReactNode, useEffect, useId, useRef } from 'react';

/** The browser's own dialog: it traps focus, closes on Escape and hides the rest from screen readers. */
export function Dialog(props: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Whether Escape leaves it open: nothing behind it works before it is answered. @default false */
  readonly isRequired?: boolean;
  /** For code and diffs. @default false */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { title, isOpen, onClose, isRequired = false, isWide = false, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog wide' : 'dialog'}
      onClose={onClose}
      onCancel={(event) => {
        if (isRequired) event.preventDefault();
      }}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>{title}</h2>
      {isOpen ? children : null}
    </dialog>
  );
}
