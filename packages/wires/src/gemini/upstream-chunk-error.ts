import type { JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';

/**
 * An error in the middle of an upstream's stream. Carries the chunk with the error, so that a surface can pass it on
 * unchanged.
 */
export class UpstreamChunkError extends UpstreamError {
  override readonly name = 'UpstreamChunkError';
  readonly chunk: JsonObject;

  constructor(chunk: JsonObject, error: JsonObject) {
    const { status, message } = error;
    super({
      code: 'refused',
      message: `The upstream ended its stream with ${String(status)}: ${String(message)}`,
      context: { status },
    });
    this.chunk = chunk;
  }
}
