export { markToolsInSteps } from './content-key.ts';
export type { IndexCache } from './index-cache.ts';
export { readIndexFile, writeIndexFile } from './index-file.ts';
export { createIndexKeeper, type IndexKeeper, type KeptPart } from './keep-part.ts';
