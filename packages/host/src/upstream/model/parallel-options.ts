import type { ProviderOptions } from './merge-options.ts';
import type { ModelTarget } from './model-target.ts';

/** One call at a time, as each provider says it. Google and Amazon can't be told. */
export function parallelOptions(target: ModelTarget): ProviderOptions | undefined {
  switch (target.family) {
    case 'anthropic':
      return { anthropic: { disableParallelToolUse: true } };
    case 'openai':
      return { openai: { parallelToolCalls: false } };
    case 'other':
      // Fields that such a provider does not know go into the body as they are.
      return { [target.provider]: { parallel_tool_calls: false } };
    default:
      return undefined;
  }
}
