import type { LanguageModelV4 } from '@ai-sdk/provider';

/**
 * Which conventions a model's provider follows beyond the common interface. `rehearsal` is our own mock model, which knows all
 * conventions.
 */
export type ModelFamily = 'anthropic' | 'bedrock' | 'google' | 'openai' | 'rehearsal' | 'other';

export interface ModelTarget {
  readonly family: ModelFamily;
  /** The beginning of the model's `provider`: whose seals it reads, and where its own options go. */
  readonly provider: string;
  /** Whether the model reads images. @default true */
  readonly seesImages?: boolean;
}

export function targetOf(model: Pick<LanguageModelV4, 'provider'>): ModelTarget {
  const { provider } = model;
  const family = FAMILIES.find(([pattern]) => pattern.test(provider))?.[1] ?? 'other';
  return { family, provider: provider.split('.')[0] ?? provider };
}

/** Searched in order: Anthropic's models at Google or Amazon follow Anthropic's conventions. */
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [/(^|\.)anthropic(\.|$)/, 'anthropic'],
  [/^amazon-bedrock|^bedrock/, 'bedrock'],
  [/^google|^vertex/, 'google'],
  [/^openai\.|^azure/, 'openai'],
  [/^rehearsal$/, 'rehearsal'],
];
