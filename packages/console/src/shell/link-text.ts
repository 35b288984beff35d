/** A text in a link. The router reads a word of digits as a number, and `true` as a truth value. */
export function linkText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
