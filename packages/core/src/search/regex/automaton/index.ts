// Nearly every pattern runs here, in time that is linear in the text: a program for a deterministic automaton whose states are made
// on demand, lookaheads split off, and what a match must begin with or contain.
export { automatonProgram } from './automaton-program.ts';
export { firstCharacters } from './first-characters.ts';
export { type LazyDfa, lazyDfa, type ScanCursor } from './lazy-dfa.ts';
export { foldedLiteral, mayContain, requiredLiteral } from './required-literal.ts';
export { splitLookaheads } from './split-lookaheads.ts';
