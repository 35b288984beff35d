import { checkOptionNames } from '../../check-option-names.ts';
import { COMPILE_DEFAULTS, type CompileOptions, compilePattern as compile, type Pattern } from './compile-pattern.ts';
import * as characterNameTable from './unicode/character-name-table.ts';
import { useCharacterNames } from './unicode/character-names.ts';

export { PatternError } from '../../errors.ts';
export {
  COMPILE_DEFAULTS,
  type CompileOptions,
  type Matcher,
  type MatchOutcome,
  type MatchSpan,
  type Pattern,
} from './compile-pattern.ts';
export { createRegexSearcher, REGEX_SEARCH_DEFAULTS, type RegexSearcherOptions } from './regex-searcher.ts';

/**
 * Compiles a pattern of Python's `re` syntax, the names of characters (`\N{SNOWMAN}`) included.
 *
 * @example
 * compilePattern('(?i)get_.*weather').test('Get_current_weather'); // true
 */
export function compilePattern(pattern: string, options: CompileOptions = {}): Pattern {
  checkOptionNames('compilePattern', options, COMPILE_DEFAULTS);
  useCharacterNames(characterNameTable);
  return compile(pattern, options);
}
