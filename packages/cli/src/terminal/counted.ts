/** `1,234` */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 tool`, `2 tools`, with thousands separators. */
export function counted(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** `12.5%`, with thousands separators. */
export function percentOf(part: number, whole: number): string {
  return `${fixed((part / whole) * 100, 1)}%`;
}

/** `$1,234.50`. */
export function dollars(amount: number): string {
  return `$${fixed(amount, 2)}`;
}

/** `1,234.5`, with this many digits after the point. */
export function fixed(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
