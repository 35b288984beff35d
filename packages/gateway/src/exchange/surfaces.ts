import type { Dialect } from '@quartermaster/host/upstream';
import { type AnthropicSurfaceOptions, anthropicSurface } from './anthropic-surface.ts';
import { openaiChatSurface } from './openai-chat-surface.ts';
import { openaiResponsesSurface } from './openai-responses-surface.ts';
import type { Surface } from './surface.ts';

export type Surfaces = { readonly [Name in Dialect]: Surface<Name> };

/** Every dialect that is served. */
export function surfacesFor(options: AnthropicSurfaceOptions): Surfaces {
  return {
    anthropic: anthropicSurface(options),
    'openai-chat': openaiChatSurface,
    'openai-responses': openaiResponsesSurface,
  };
}
