import type { ProviderOptions } from './merge-options.ts';
import type { ModelTarget } from './model-target.ts';

/** OpenAI keeps responses, and then wants them referred to; we are stateless, so that thoughts come and go encrypted. */
export function statelessOptions(target: ModelTarget): ProviderOptions | undefined {
  return target.family === 'openai' ? { openai: { store: false } } : undefined;
}
