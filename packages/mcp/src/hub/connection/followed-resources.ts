import type { Connection } from './connection.ts';

/** The resources that a connection, and those that replace it, should follow. */
export class FollowedResources {
  readonly #counts = new Map<string, number>();
  #applied: ReadonlySet<string> = new Set();
  #last: Promise<void> = Promise.resolve();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Resources that an earlier connection followed, and that are still wanted. */
  get heard(): readonly string[] {
    return [...this.#applied].filter((uri) => this.#counts.has(uri));
  }

  add(uri: string): void {
    this.#counts.set(uri, (this.#counts.get(uri) ?? 0) + 1);
  }

  remove(uri: string): void {
    const left = (this.#counts.get(uri) ?? 0) - 1;
    if (left > 0) this.#counts.set(uri, left);
    else this.#counts.delete(uri);
  }

  /** Makes a connection follow the wanted resources. Updates run one after the other, so that the latest one wins. */
  apply(connection: Connection): Promise<void> {
    this.#last = this.#last
      .catch(() => {})
      .then(async () => {
        const uris = new Set(this.#counts.keys());
        await connection.follow(uris);
        this.#applied = uris;
      });
    return this.#last;
  }
}
