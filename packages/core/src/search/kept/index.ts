export { readIndexFile, writeIndexFile } from './index-file.ts';
export {
  type ChosenBase,
  chooseBase,
  createIndexKeeper,
  type IndexCache,
  type IndexKeeper,
  type KeptPart,
  type Marked,
} from './keep-index.ts';
