import { DIALECTS, type Dialects } from '@quartermaster/host/upstream';
import { type AnthropicDialectOptions, createAnthropicDialect } from '@quartermaster/wires/anthropic';

/** Every dialect that is served, as configured. */
export function dialectsFor({ errorCodes, strict, maxRequestTools }: Required<AnthropicDialectOptions>): Dialects {
  const anthropic = createAnthropicDialect({ errorCodes, strict, maxRequestTools });
  return { ...DIALECTS, anthropic: { ...DIALECTS.anthropic, ...anthropic } };
}
