import { X } from 'lucide-react';
import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';

/** How far down a finger has to pull the handle to close the sheet. */
const PULL_PX = 60;

/** A side column; on phones, a sheet from the bottom that is there only while it is open. */
export function Sheet(props: {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { label, isOpen, onClose, children } = props;
  const ref = useRef<HTMLElement>(null);
  const pulledFrom = useRef<number>(undefined);
  useEffect(() => {
    if (isOpen) ref.current?.focus({ preventScroll: true });
  }, [isOpen]);
  const endPull = ({ clientY }: PointerEvent): void => {
    if (pulledFrom.current !== undefined && clientY - pulledFrom.current > PULL_PX) onClose();
    pulledFrom.current = undefined;
  };
  return (
    <aside
      ref={ref}
      tabIndex={-1}
      className={`panel inspector sheet${isOpen ? ' open' : ''}`}
      aria-label={label}
      onKeyDown={(event) => {
        if (!isOpen || event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div
        className="sheet-head"
        onPointerDown={({ clientY, currentTarget, pointerId, target }) => {
          // A captured pointer would never click the button.
          if (target instanceof Element && target.closest('button') !== null) return;
          pulledFrom.current = clientY;
          currentTarget.setPointerCapture(pointerId);
        }}
        onPointerUp={endPull}
      >
        <span className="sheet-handle" aria-hidden="true" />
        <Button look="ghost" onClick={onClose}>
          <X size={14} aria-hidden="true" /> Close
        </Button>
      </div>
      {children}
    </aside>
  );
}
