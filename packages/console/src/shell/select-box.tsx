import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

export interface Choice {
  readonly value: string;
  readonly name: string;
}

/** The browser's own list of choices, in a box that names it. */
export function SelectBox(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  /** `chip` is for filters: small and round, and filled once it is set. @default 'box' */
  readonly look?: 'box' | 'chip';
  /** Whether the label is read out but not shown. @default false */
  readonly isLabelHidden?: boolean;
}): ReactNode {
  const { label, value, choices, onChange, look = 'box', isLabelHidden = false } = props;
  return (
    <label className={`select-${look}${look === 'chip' && value !== '' ? ' on' : ''}`}>
      <span className={isLabelHidden ? 'hidden-text' : undefined}>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.name}
          </option>
        ))}
      </select>
      <ChevronDown size={14} aria-hidden="true" />
    </label>
  );
}
