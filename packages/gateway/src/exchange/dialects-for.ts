import { DIALECTS, type Dialects } from '@quartermaster/host/upstream';
import { type AnthropicDialectOptions, createAnthropicDialect } from '@quartermaster/wires/anthropic';

/** Every dialect that is served, as the settings have it. */
export function dialectsFor(options: Required<AnthropicDialectOptions>): Dialects {
  return { ...DIALECTS, anthropic: { ...DIALECTS.anthropic, ...createAnthropicDialect(options) } };
}
