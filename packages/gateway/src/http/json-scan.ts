/** What gives a JSON text its structure, as one byte of UTF-8 or one unit of UTF-16. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;

/**
 * The position of the comma after some whole members of a list, at least so many units long together, or of the bracket after the
 * last one. The first member begins at `from`. The text need not be JSON: parsing the members reports what is wrong.
 */
export function endOfMembers(text: string | Buffer, from: number, least: number): number {
  const unitAt = typeof text === 'string' ? (at: number) => text.charCodeAt(at) : (at: number) => text[at];
  let depth = 0;
  let isText = false;
  for (let at = from; at < text.length; at += 1) {
    const unit = unitAt(at);
    if (isText) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) isText = false;
    } else if (unit === QUOTE) isText = true;
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) depth += 1;
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      // The bracket of the list itself.
      if (depth === 0) return at;
      depth -= 1;
    } else if (unit === COMMA && depth === 0 && at - from >= least) return at;
  }
  return text.length;
}
