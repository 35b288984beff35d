import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { defined } from '@quartermaster/core/internal';
import type { ProviderFields } from '../internal/seal.ts';
import type { ModelTarget } from './model-target.ts';

type Level = Exclude<NonNullable<LanguageModelV4CallOptions['reasoning']>, 'provider-default'>;
type Options = Pick<LanguageModelV4CallOptions, 'reasoning' | 'providerOptions'>;

/** How much reasoning the client requests, in any dialect. */
export interface ReasoningWish {
  /** `output_config.effort`, `reasoning_effort`, `reasoning.effort`. */
  readonly effort?: string | undefined;
  /** `thinking.type` of the Messages API. */
  readonly thinking?: 'enabled' | 'disabled' | 'adaptive' | undefined;
  /** `thinking.budget_tokens`. */
  readonly budgetTokens?: number | undefined;
}

/**
 * The request as the provider accepts it. An effort is sent under its own name; a budget becomes an effort if the provider does not
 * count tokens:
 *
 * | family    | effort            | budget                     | disabled |
 * |-----------|-------------------|----------------------------|----------|
 * | anthropic | as named          | `thinking.budgetTokens`    | `none`   |
 * | bedrock   | as named          | nearest effort             | `none`   |
 * | google    | as named, with thoughts shown | nearest effort | `none`   |
 * | openai    | as named          | nearest effort             | `none`   |
 * | other     | at most `high`    | not sent: many such hosts refuse an effort for models that do not reason | not sent |
 *
 * Nearest effort: up to 2,048 tokens `low`, up to 8,192 `medium`, up to 32,768 `high`, above `xhigh`. `adaptive` alone is the
 * provider's default.
 */
export function reasoningOptions(wish: ReasoningWish, target: ModelTarget): Options {
  const isKnown = target.family !== 'other';
  const named = LEVELS.find((level) => level === wish.effort);
  if (wish.thinking === 'disabled' && named === undefined) return isKnown ? { reasoning: 'none' } : {};
  const isBudgeted = wish.thinking === 'enabled' && wish.budgetTokens !== undefined;
  if (isBudgeted && target.family === 'anthropic') {
    const thinking = { type: 'enabled', budgetTokens: wish.budgetTokens ?? 0 };
    return { providerOptions: { anthropic: { thinking } } };
  }
  const level = named ?? (isBudgeted && isKnown ? nearest(wish.budgetTokens ?? 0) : undefined);
  if (level === undefined) return {};
  const most = LEVELS.indexOf(isKnown ? 'max' : 'high');
  const reasoning = LEVELS[Math.min(LEVELS.indexOf(level), most)] ?? level;
  if (target.family !== 'google' || reasoning === 'none') return { reasoning };
  return { reasoning, providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } };
}

function nearest(budgetTokens: number): Level {
  return BUDGETS.find(([most]) => budgetTokens <= most)?.[1] ?? 'xhigh';
}

const LEVELS: readonly Level[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const BUDGETS: readonly (readonly [number, Level])[] = [
  [2_048, 'low'],
  [8_192, 'medium'],
  [32_768, 'high'],
];

/** All options of a call that depend on the provider; `isSerial` asks for one call at a time. */
export function callOptions(wish: ReasoningWish, target: ModelTarget, isSerial: boolean): Options {
  const { reasoning, providerOptions } = reasoningOptions(wish, target);
  const parallel = isSerial ? parallelOptions(target) : undefined;
  return { ...defined({ reasoning }), ...mergeOptions(statelessOptions(target), providerOptions, parallel) };
}

/** One call at a time, in each provider's terms. Google and Amazon have no such option. */
function parallelOptions(target: ModelTarget): ProviderOptions | undefined {
  switch (target.family) {
    case 'anthropic':
      return { anthropic: { disableParallelToolUse: true } };
    case 'openai':
      return { openai: { parallelToolCalls: false } };
    case 'other':
      // Fields that such a provider does not know are put into the body unchanged.
      return { [target.provider]: { parallel_tool_calls: false } };
    default:
      return undefined;
  }
}

/** OpenAI stores responses, and then wants them referenced; we are stateless, so reasoning is sent encrypted both ways. */
function statelessOptions(target: ModelTarget): ProviderOptions | undefined {
  return target.family === 'openai' ? { openai: { store: false } } : undefined;
}

export type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** Options for the same provider from several places, as one. */
export function mergeOptions(...all: readonly (ProviderFields | undefined)[]): {
  providerOptions?: ProviderOptions;
} {
  const merged: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const options of all) {
    for (const [provider, fields] of Object.entries(options ?? {})) {
      merged[provider] = { ...merged[provider], ...fields };
    }
  }
  return Object.keys(merged).length === 0 ? {} : { providerOptions: merged as ProviderOptions };
}
