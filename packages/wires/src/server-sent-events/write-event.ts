/** One event as it goes over the wire. */
export function writeEvent(data: string): string {
  return `data: ${data}\r\n\r\n`;
}
