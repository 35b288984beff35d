export { PatternError } from '../../errors.ts';
export type { CompileOptions, Matcher, MatchOutcome, MatchSpan, Pattern } from './compile-pattern.ts';
export { COMPILE_DEFAULTS, compilePattern } from './compile-pattern.ts';
export type { StepLimits } from './metered-matcher.ts';
export type { RegexSearcherOptions } from './regex-searcher.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS } from './regex-searcher.ts';
export type { StepMeter } from './step-meter.ts';
