/** `1 tool`, `2 tools`: a count as it is said. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
