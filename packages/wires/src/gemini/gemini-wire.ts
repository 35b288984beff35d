import type { Wire } from '@quartermaster/core/loop';
import { recallTurns } from '../internal/answered-turns.ts';
import { contentsOf, type GeminiRequest, type GeminiResponse } from './gemini-shapes-2026-11.ts';
import { geminiTranscript } from './gemini-transcript.ts';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { renderRequest } from './render.ts';
import { GEMINI_PARTS } from './search-parts.ts';
import { createWriter } from './writer.ts';

/** Options of Gemini's wire. */
export interface GeminiWireOptions {
  /**
   * Whether responses show searches, as server-side tool calls that the client sends back. Hidden ones are remembered by the
   * transcript; without one, only tools that were called are. A request with `toolConfig.includeServerSideToolInvocations: false` hides them for itself.
   * @default true
   */
  readonly showSearches?: boolean;
}

/** The codec for `generateContent` and `streamGenerateContent`. */
export function createGeminiWire(options: GeminiWireOptions = {}): Wire<GeminiRequest, GeminiResponse> {
  const showSearches = options.showSearches ?? true;
  return {
    dialect: 'gemini',
    open: openRequest,
    recall: (request, plan) => recallTurns(contentsOf(request), plan, GEMINI_PARTS),
    render: renderRequest,
    reader: createReader,
    writer: (request, plan) => createWriter(request, plan, { showSearches }),
    transcript: geminiTranscript,
  };
}
