export { type ChosenBase, chooseBase, type Marked } from './choose-base.ts';
export type { IndexCache } from './index-cache.ts';
export { readIndexFile, writeIndexFile } from './index-file.ts';
export { createIndexKeeper, type IndexKeeper, type KeptPart } from './keep-part.ts';
