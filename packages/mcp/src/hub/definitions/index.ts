export {
  isCutAlike,
  LIST_DEFAULTS,
  type ListedDefinition,
  type ListLimits,
  listDefinition,
  listTools,
  type ToolsPage,
} from './list-tools.ts';
export { type ReadDefinition, type ReadDefinitions, readDefinitions } from './read-definitions.ts';
