export { countSearchers } from './count-searchers.ts';
export { createIndexedCatalogs, type IndexedCatalogs } from './indexed-catalogs.ts';
export { ByteCache, type Holding, MemoryBudget } from './memory-budget.ts';
export { CATALOG_TYPE, catalogsKey, createNamedCatalogs, loadCatalog, type NamedCatalogs } from './named-catalogs.ts';
export { type BodyReader, createBodyReader, locateTools, type ReadBody, readKnownBody } from './read-body.ts';
export { readUpload, type UploadedCatalog } from './read-upload.ts';
export { createToolLists, digest, type ToolList, type ToolLists } from './tool-lists.ts';
