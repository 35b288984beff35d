/** `1 tool`, `2 tools`: a count as it is said, thousands set apart. */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}
