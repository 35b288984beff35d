export { foldText, nameKey } from './characters.ts';
export { FUNCTION_WORDS, REQUEST_WORDS } from './function-words.ts';
export { stemInPlace, stemWord } from './stem-word.ts';
export { hashCharacter, hashToken, scanTokens, type Token, TokenKind, type TokenSink, tokenize } from './tokenize.ts';
