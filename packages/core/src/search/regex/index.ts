export type { StepLimits } from './find-matches.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS, type RegexSearcherOptions } from './regex-searcher.ts';
