// Python's `re` over a catalog. pattern ──▶ parse/ ──▶ `expression` ──▶ automaton/ where it is regular, else backtrack/ ──▶ `find-matches` over
// the tools' texts ──▶ `rank-matches`. `compile-pattern` shows which engine decides.
//
// parse/     the syntax, its errors as CPython words them, and the flags applied: an expression
// automaton/ a lazy DFA, and the string that every match contains
// backtrack/ CPython's own machine, for back-references and look-arounds, and for the place of a match
// unicode/   sets of characters, case folding and character names of Unicode 14
export type { StepLimits } from './find-matches.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS, type RegexSearcherOptions } from './regex-searcher.ts';
