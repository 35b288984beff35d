import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';

/** An answer of the host's that is no success: handed to the client as it came, so that its SDK retries or throws as ever. */
export class UpstreamRefusal extends UpstreamError {
  override readonly name = 'UpstreamRefusal';
  readonly response: Response;

  constructor(response: Response) {
    const { status } = response;
    super({ code: 'refused', message: `The host answered with status ${status}`, status, context: { status } });
    this.response = response;
  }

  /** Its body, for a stream that is already under way; undefined where that tells of no error. */
  async told(): Promise<(JsonObject & { readonly error: JsonObject }) | undefined> {
    const body: unknown = await this.response.json().catch(() => undefined);
    return isJsonObject(body) && isJsonObject(body.error) ? { ...body, error: body.error } : undefined;
  }
}
