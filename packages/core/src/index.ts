export type { Json, JsonObject, JsonSchema, Policy, Snapshot, Tool, ToolExtras, ToolFormat } from './catalog/index.ts';
export type { ErrorCode, ErrorDetails } from './errors.ts';
export { CatalogError, PatternError, QuartermasterError, SettingError } from './errors.ts';
