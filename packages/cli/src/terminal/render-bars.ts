import { columnsOf } from './columns.ts';
import { oneLine, type Terminal } from './terminal.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The text after the bar. */
  readonly note: string;
}

/** Horizontal bars, the longest as wide as the terminal allows, in eighths of a character. */
export function renderBars(bars: readonly Bar[], { width, paint }: Terminal): string {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const noteWidth = Math.max(0, ...bars.map((bar) => bar.note.length));
  const labelWidth = Math.min(Math.floor(width * 0.4), Math.max(0, ...bars.map((bar) => columnsOf(bar.label))));
  const room = Math.max(8, width - labelWidth - noteWidth - 4);
  return bars
    .map((bar) => {
      const label = oneLine(bar.label, labelWidth);
      const space = ' '.repeat(labelWidth - columnsOf(label));
      return `${label}${space}  ${bar.note.padStart(noteWidth)}  ${paint.cyan(drawBar((bar.value / most) * room))}`;
    })
    .join('\n');
}

function drawBar(length: number): string {
  const eighths = Math.round(length * 8);
  return FULL.repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? '');
}

const FULL = '█';
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
