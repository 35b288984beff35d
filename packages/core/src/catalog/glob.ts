/** A compiled glob. */
export interface Glob {
  /** Characters that are not `*`: the more, the more specific. */
  readonly literalLength: number;
  matches(text: string): boolean;
}

/**
 * Compiles a glob in which `*` matches any text, including the empty one and slashes; every other character matches itself.
 * Matching looks for each piece once, from left to right: the leftmost place is always good enough, so there is no
 * backtracking.
 */
export function compileGlob(pattern: string): Glob {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const literalLength = pattern.length - (pieces.length - 1);
  if (pieces.length === 1) return { literalLength, matches: (text) => text === pattern };
  return {
    literalLength,
    matches(text) {
      if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
      const end = text.length - last.length;
      let at = first.length;
      for (const piece of middle) {
        const found = text.indexOf(piece, at);
        if (found === -1 || found + piece.length > end) return false;
        at = found + piece.length;
      }
      return true;
    },
  };
}
