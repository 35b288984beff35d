export { countSearchers } from './count-searchers.ts';
export { createIndexedCatalogs, type IndexedCatalogs } from './indexed-catalogs.ts';
export { locateTools } from './locate-tools.ts';
export { ByteCache, type Holding, MemoryBudget } from './memory-budget.ts';
export { CATALOG_TYPE, catalogsKey, createNamedCatalogs, type NamedCatalogs } from './named-catalogs.ts';
export { type BodyReader, createBodyReader, type ReadBody, readKnownBody } from './read-body.ts';
export { readUpload, type UploadedCatalog } from './read-upload.ts';
export type { ToolList } from './tool-list.ts';
export { createToolLists, type ToolLists } from './tool-lists.ts';
