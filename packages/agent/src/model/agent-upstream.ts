import type { UpstreamSettings } from '@quartermaster/host/config';
import { type DialectUpstream, rehearsal as rehearsalOf } from '@quartermaster/host/upstream';

/** Where the model is: an upstream, or the settings of one as in the gateway's configuration. */
export type AgentUpstream = BuiltUpstream | UpstreamChoice;

/** An upstream that speaks the Messages API, whatever model is behind it. */
export interface BuiltUpstream extends DialectUpstream<'anthropic'> {
  /** What it is asked for where no model is named. */
  readonly defaultModel?: string;
}

/** An entry of `upstreams` in quartermaster.yaml, without the patterns. */
export type UpstreamChoice = Pick<UpstreamSettings, 'provider' | 'baseUrl' | 'apiKey' | 'contextTokens' | 'references'>;

/**
 * A mock model that is not a language model: it searches for what the prompt says, calls what it finds, and quotes the
 * result. Needs no key and no network, and answers the same prompt the same way.
 */
export function rehearsal(): BuiltUpstream {
  return { ...rehearsalOf('anthropic'), defaultModel: 'rehearsal' };
}

export function isBuilt(upstream: AgentUpstream): upstream is BuiltUpstream {
  return 'stream' in upstream;
}
