import { isJsonObject } from '@quartermaster/core/catalog';
import { tryParseJson } from '@quartermaster/core/internal';

/** Fields by provider, as the AI SDK attaches them to parts. */
export type ProviderFields = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * What a provider wants back with its own reasoning or call (a signature, an encrypted thought), for a dialect whose clients
 * replay one opaque string. Names the provider, because only the same one can read it.
 */
export interface Seal {
  /** The provider's name: the beginning of a model's `provider`. */
  readonly provider: string;
  readonly metadata: ProviderFields;
}

/** How every seal begins. */
export const SEAL_PREFIX = 'qm1.';
const LONGEST = 4 * 1024 * 1024;

/** The fields that go back. Everything else that a provider attaches describes the past, and clients must not be able to make it up. */
const KEPT: ReadonlySet<string> = new Set([
  'signature',
  'redactedData',
  'thoughtSignature',
  'itemId',
  'reasoningEncryptedContent',
]);

export function writeSeal({ provider, metadata }: Seal): string {
  const json = JSON.stringify(keptIn(metadata));
  return `${SEAL_PREFIX}${provider.replaceAll('.', '-')}.${Buffer.from(json).toString('base64url')}`;
}

/** Undefined for any string that is not a seal, or is another provider's. */
export function openSeal(text: string, provider: string): ProviderFields | undefined {
  if (!isSeal(text) || text.length > LONGEST) return undefined;
  const [, owner, encoded = ''] = text.split('.', 3);
  if (owner !== provider.replaceAll('.', '-')) return undefined;
  const value = tryParseJson(Buffer.from(encoded, 'base64url').toString());
  return isJsonObject(value) ? keptIn(value as ProviderFields) : undefined;
}

export function isSeal(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(SEAL_PREFIX);
}

/** The part of a provider's metadata that is worth sealing. */
export function keptIn(metadata: ProviderFields): ProviderFields {
  const entries = Object.entries(metadata).flatMap(([provider, fields]) => {
    if (!isJsonObject(fields)) return [];
    const kept = Object.entries(fields).filter(([key, value]) => KEPT.has(key) && typeof value === 'string');
    return kept.length === 0 ? [] : [[provider, Object.fromEntries(kept)] as const];
  });
  return Object.fromEntries(entries);
}
