import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ProviderFields } from '../internal/seal.ts';

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
