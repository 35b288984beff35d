export { readIndexFile, writeIndexFile } from './index-file.ts';
export { createIndexKeeper, type IndexCache, type IndexKeeper, type KeptPart } from './keep-index.ts';
export { type ChosenBase, chooseBase, type Marked } from './marked-tools.ts';
