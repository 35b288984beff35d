export type { Json, JsonObject } from './json.ts';
export { isJsonObject } from './json.ts';
export type { Snapshot } from './snapshot.ts';
export type { JsonSchema, Policy, Tool, ToolExtras, ToolFormat } from './tool.ts';
