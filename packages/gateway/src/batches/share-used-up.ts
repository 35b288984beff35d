/** The owner's limit of requests or tokens is used up: the item waits, and has not failed. */
export class ShareUsedUp extends Error {
  override readonly name: string = 'ShareUsedUp';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The share of this key is used up');
    this.retryAfterMs = retryAfterMs;
  }
}
