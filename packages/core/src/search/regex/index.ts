export type { StepLimits } from './metered-matcher.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS, type RegexSearcherOptions } from './regex-searcher.ts';
