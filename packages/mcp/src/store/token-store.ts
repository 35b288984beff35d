/** Whose tokens, and for what. */
export interface TokenOwner {
  /** Empty for a hub that serves one user. */
  readonly user: string;
  readonly server: string;
}

/**
 * Where what OAuth leaves behind is kept, one value per user and server. An implementation that outlives the process encrypts
 * it; a value never leaves the user that it was put for.
 */
export interface TokenStore {
  get(owner: TokenOwner): Promise<string | undefined>;
  put(owner: TokenOwner, value: string): Promise<void>;
  delete(owner: TokenOwner): Promise<void>;
  /**
   * Lets one process at a time renew what is kept. Resolves to what ends the claim, which ends by itself after `leaseMs`; to nothing while
   * another has it. A store without it is used by one process at a time.
   */
  claim?(owner: TokenOwner, leaseMs: number): Promise<(() => Promise<void>) | undefined>;
}

/** Keeps tokens in memory. */
export function createMemoryTokenStore(): TokenStore {
  const values = new Map<string, string>();
  const claimed = new Set<string>();
  const keyOf = ({ user, server }: TokenOwner): string => JSON.stringify([user, server]);
  return {
    get: async (owner) => values.get(keyOf(owner)),
    put: async (owner, value) => {
      values.set(keyOf(owner), value);
    },
    delete: async (owner) => {
      values.delete(keyOf(owner));
    },
    // It ends with its process, and so do its claims.
    claim: async (owner) => {
      const key = keyOf(owner);
      if (claimed.has(key)) return undefined;
      claimed.add(key);
      return async () => {
        claimed.delete(key);
      };
    },
  };
}
