export { isCutAlike, LIST_DEFAULTS, type ListLimits, listTools, type ToolsPage } from './list-tools.ts';
export { type ListedDefinition, listDefinition } from './listed-definition.ts';
export { type ReadDefinition, type ReadDefinitions, readDefinitions } from './read-definitions.ts';
