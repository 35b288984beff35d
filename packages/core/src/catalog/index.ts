export {
  createModelNames,
  createSnapshot,
  MODEL_NAME_DEFAULTS,
  type ModelNameOptions,
  type ModelNames,
  NAME_TEMPLATES,
  renderCatalog,
  SNAPSHOT_DEFAULTS,
  type Snapshot,
  type SnapshotOptions,
} from './create-snapshot.ts';
export { type ChangedField, type ChangedTool, diffSnapshots, type SnapshotDiff } from './diff-snapshots.ts';
export { type WriteOptions, writeTool, writeTools } from './formats/format.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { type ParsedTools, type ParseToolsOptions, type Problem, parseTools } from './parse-tools.ts';
export { applyPolicies, compileGlob, type Glob, POLICIES, type PolicyRules, parsePolicy } from './policy.ts';
export { applySearchHints, type HintedSnapshot, hashTool, type SearchHint, type SearchHints } from './search-hints.ts';
export { SEARCH_TEXT_DEFAULTS, type SearchText, type SearchTextLimits, searchText } from './search-text.ts';
export {
  createTool,
  type JsonSchema,
  type Policy,
  type Tool,
  type ToolExtras,
  type ToolFormat,
  type ToolParts,
  toolId,
} from './tool.ts';
