/** Options of `uniqueIds`. */
export interface UniqueIdOptions {
  /** Ids that the history already holds. */
  readonly taken: Iterable<string>;
  /** What an id must look like for the client. @default any non-empty string */
  readonly pattern?: RegExp;
  /** Put before an id that does not fit the pattern, and before the rest of one that is taken: `toolu_`. */
  readonly prefix: string;
}

/**
 * Gives each call a unique id. Upstreams repeat theirs (`call_0` in each round), and a client that matches results by id
 * would then answer the wrong call. Without chance in it: the same history and the same stream give the same ids.
 */
export function uniqueIds(options: UniqueIdOptions): (id: string) => string {
  const taken = new Set(options.taken);
  return (id) => {
    const base = fits(id, options.pattern) ? id : `${options.prefix}${id.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
    let unique = base;
    for (let count = 2; taken.has(unique); count += 1) unique = `${base}_${count}`;
    taken.add(unique);
    return unique;
  };
}

function fits(id: string, pattern: RegExp | undefined): boolean {
  return id !== '' && (pattern === undefined || pattern.test(id));
}
