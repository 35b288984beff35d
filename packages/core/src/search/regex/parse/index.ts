// A pattern's text becomes a tree. `pattern-source` reads characters, the `parse-*` files read what Python's `re` has (sets, escapes,
// flags, groups), and `resolve-*` replaces names and flags by what they stand for.
export { parsePattern } from './parse-pattern.ts';
export type { RepeatMode } from './pattern-node.ts';
export { codePointLength, type PatternSource, quote } from './pattern-source.ts';
export { resolvePattern } from './resolve-pattern.ts';
