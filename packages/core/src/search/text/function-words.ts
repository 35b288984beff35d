/**
 * English words with a grammatical role and no meaning of their own: articles, pronouns, prepositions, auxiliaries, question words
 * and politeness. Verbs and nouns that a tool could be about (`get`, `find`, `help`, `table`, `data`) are not among them.
 */
export const FUNCTION_WORDS: readonly string[] = (
  'a an the this that these those there here ' +
  'i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs ' +
  'am is are was were be been being do does did have has had ' +
  'can could would should will shall may might must please ' +
  'of to in on for with by at from as into about than over under ' +
  'and or but if so then also just not no any some all such too very ' +
  'what which who whom whose how when where why'
).split(' ');

/** The same, to be looked up. */
export const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);

/** English words that frame a request (`I need help`, `I am looking for`). A tool may well be about them, so they still count. */
export const REQUEST_WORDS: ReadonlySet<string> = new Set(
  'help need want like looking know wondering able interested trying let hi hello hey thanks thank'.split(' '),
);
