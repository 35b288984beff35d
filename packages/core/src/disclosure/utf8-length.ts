/** How many bytes a text has in UTF-8. A lone surrogate counts as its replacement character, three bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    if (code < 0x800) {
      bytes += 1;
      continue;
    }
    bytes += 2;
    if (code >= 0xd800 && code <= 0xdbff && isLow(text.charCodeAt(index + 1))) {
      // A pair takes four bytes for two units: one more each.
      index += 1;
    }
  }
  return bytes;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
