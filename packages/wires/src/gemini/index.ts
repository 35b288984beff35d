export type {
  GeminiCallingConfig,
  GeminiCandidate,
  GeminiContent,
  GeminiFunctionCall,
  GeminiFunctionResponse,
  GeminiPart,
  GeminiRequest,
  GeminiResponse,
  GeminiToolCall,
  GeminiToolConfig,
  GeminiToolResponse,
} from './gemini-shapes-2026-11.ts';
export type { GeminiToolSearchOptions } from './tool-search-fetch.ts';
export { toolSearchFetch } from './tool-search-fetch.ts';
export { UpstreamChunkError } from './upstream-chunk-error.ts';
export { withToolSearch } from './wrap-gemini.ts';
