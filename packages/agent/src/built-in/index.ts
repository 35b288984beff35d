export type { BuiltInTool } from './built-in-tool.ts';
export { type BuiltInChoice, type BuiltInTools, createBuiltInTools } from './create-built-in-tools.ts';
