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
export { UpstreamChunkError } from './reader.ts';
export { type GeminiToolSearchOptions, toolSearchFetch } from './tool-search-fetch.ts';
export { withToolSearch } from './wrap-gemini.ts';
