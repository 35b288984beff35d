/** `31 Jan 2027` */
export function dayOf(time: string | number): string {
  return new Date(time).toLocaleDateString('en-GB', { dateStyle: 'medium' });
}

/** `31 Jan 2027, 14:20` */
export function timeOf(time: string | number): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
