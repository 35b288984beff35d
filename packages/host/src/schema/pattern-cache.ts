import { compilePattern, type Matcher, PatternError } from '@quartermaster/core/regex';
import { translatePattern } from './translate-pattern.ts';

/** Compiles the patterns of one schema, each once. */
export interface PatternCache {
  /** Undefined for a pattern that our engine can't evaluate like ECMAScript. */
  matcher(pattern: string): Matcher | undefined;
  /** Whether the pattern is compiled already. */
  has(pattern: string): boolean;
}

/** Longer ones are not checked; real servers stay under 400. */
const MOST_PATTERN_LENGTH = 2_000;
/** A translation can be longer than its pattern, `\S` the most: two characters become 222. */
const MOST_TRANSLATED_LENGTH = 20_000;
/** Above this number, a schema's further patterns are compiled on each use. */
const MOST_KEPT = 256;

export function createPatternCache(): PatternCache {
  const kept = new Map<string, Matcher | undefined>();
  return {
    has: (pattern) => kept.has(pattern),
    matcher(pattern) {
      if (kept.has(pattern)) return kept.get(pattern);
      const made = compile(pattern);
      if (kept.size < MOST_KEPT) kept.set(pattern, made);
      return made;
    },
  };
}

function compile(pattern: string): Matcher | undefined {
  if (pattern.length > MOST_PATTERN_LENGTH) return undefined;
  const translated = translatePattern(pattern);
  if (translated === undefined) return undefined;
  try {
    return compilePattern(translated, { flags: 'a', maxLength: MOST_TRANSLATED_LENGTH }).matcher();
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}
