export { diffCatalogs, giveCatalog, listCatalogs, pushCatalog } from './catalogs.ts';
export { watchGateway } from './watch-gateway.ts';
