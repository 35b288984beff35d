// What Unicode says of characters: sets of code points, the classes behind \d, \w and \s, case folding, and names of characters.
export {
  charactersLoweringInto,
  charactersRaisingInto,
  type Folding,
  hasCased,
  isCased,
  lowerCase,
  lowerRanges,
} from './case-folding.ts';
export { type CharacterClasses, characterClasses } from './character-classes.ts';
export {
  areCharacterNamesLoaded,
  characterNamed,
  loadCharacterNames,
  prepareCharacterNames,
  useCharacterNames,
} from './character-names.ts';
export {
  ANY_CHARACTER,
  type Category,
  type CharacterSet,
  categorySet,
  characterSet,
  complement,
  hasCharacter,
  intersection,
  MAX_CODE_POINT,
  NOT_LINE_FEED,
  onlyCharacter,
  union,
} from './character-set.ts';
