// How descriptions and schemas are shortened: whole sentences, one-line signatures, counts, and lengths in bytes.

export {
  counted,
  cutText,
  FEWEST_OF_A_PREFIX,
  firstSentence,
  namePrefix,
  oneLine,
  sentenceEnds,
} from './shorten-text.ts';
export { signature } from './signature.ts';
