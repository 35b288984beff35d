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
}

export function createMemoryTokenStore(): TokenStore {
  const values = new Map<string, string>();
  const keyOf = ({ user, server }: TokenOwner): string => JSON.stringify([user, server]);
  return {
    get: async (owner) => values.get(keyOf(owner)),
    put: async (owner, value) => {
      values.set(keyOf(owner), value);
    },
    delete: async (owner) => {
      values.delete(keyOf(owner));
    },
  };
}
