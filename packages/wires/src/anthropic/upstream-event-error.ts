import { UpstreamError } from '@quartermaster/core/errors';
import type { AnthropicErrorBody } from './anthropic-shapes-2026-11.ts';

/** An `error` event in the middle of an upstream's stream. Carries the error's body, so that a surface can pass it on as it came. */
export class UpstreamEventError extends UpstreamError {
  override readonly name = 'UpstreamEventError';
  override readonly body: AnthropicErrorBody;

  constructor(body: AnthropicErrorBody) {
    super({
      code: 'refused',
      message: `The upstream ended its stream with ${body.type}: ${body.message}`,
      context: { type: body.type },
    });
    this.body = body;
  }
}
