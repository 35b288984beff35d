export type { StepLimits } from './metered-matcher.ts';
export type { RegexSearcherOptions } from './regex-searcher.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS } from './regex-searcher.ts';
