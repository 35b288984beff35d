export { type AiSdkSearch, type CreateSearchOptions, createSearch } from './create-search.ts';
export type { ModelPart, ModelRequest, ModelResult } from './language-model-v4-shapes-2026-11.ts';
export { loadFoundTools } from './load-found-tools.ts';
export {
  type AiSdkToolSearchOptions,
  type ToolSearchMiddleware,
  toolSearchMiddleware,
} from './tool-search-middleware.ts';
export { modelWhole } from './whole.ts';
