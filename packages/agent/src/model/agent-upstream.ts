import { checkOptionNames, type OptionNames, readChoice } from '@quartermaster/core/internal';
import type { UpstreamSettings } from '@quartermaster/host/config';
import { type DialectUpstream, rehearsal as rehearsalOf } from '@quartermaster/host/upstream';
import { invalidSetting } from '../invalid-setting.ts';

/** Where the model is: an upstream, or its settings in the format of the gateway's configuration. */
export type AgentUpstream = BuiltUpstream | UpstreamChoice;

/** An upstream that speaks the Messages API, whatever the model behind it. */
export interface BuiltUpstream extends DialectUpstream<'anthropic'> {
  /** The model that is requested if none is named. */
  readonly defaultModel?: string;
}

/** An entry of `upstreams` in quartermaster.yaml, without the fields that only the gateway needs. */
export type UpstreamChoice = Pick<
  UpstreamSettings,
  'provider' | 'baseUrl' | 'apiKey' | 'contextTokens' | 'references' | 'headers' | 'images'
>;

const CHOICE: OptionNames<UpstreamChoice> = {
  provider: true,
  baseUrl: true,
  apiKey: true,
  contextTokens: true,
  references: true,
  headers: true,
  images: true,
};

/**
 * A mock model, not a language model: it searches for the words of the prompt, calls what it finds, and quotes the
 * result. It needs no key and no network, and gives the same answer to the same prompt.
 */
export function rehearsal(): BuiltUpstream {
  return { ...rehearsalOf('anthropic'), defaultModel: 'rehearsal' };
}

/** Throws a `SettingError` for anything that is neither an upstream nor its settings. */
export function checkUpstream(upstream: AgentUpstream): void {
  if (typeof upstream !== 'object' || upstream === null || !isBuilt(upstream)) {
    checkOptionNames('upstream', upstream, CHOICE);
    return;
  }
  readChoice('upstream.dialect', upstream.dialect, ['anthropic']);
  for (const method of ['stream', 'whole'] as const) {
    if (typeof upstream[method] === 'function') continue;
    throw invalidSetting({ setting: 'upstream' }, `upstream.${method} is missing: it answers requests to the model`);
  }
}

export function isBuilt(upstream: AgentUpstream): upstream is BuiltUpstream {
  return 'stream' in upstream;
}
