/** The owner's share of requests or tokens is used up: the item is for later, and no failure. */
export class ShareUsedUp extends Error {
  override readonly name: string = 'ShareUsedUp';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The share of this key is used up');
    this.retryAfterMs = retryAfterMs;
  }
}
