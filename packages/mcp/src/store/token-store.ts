import type { TokenStore as HostTokenStore, TokenOwner } from '@quartermaster/host/store';

/**
 * Where OAuth tokens are stored, one value per user and server. An implementation that outlives the process encrypts
 * them; a value is never returned to another user. A store without `claim` is used by one process at a time.
 */
export type TokenStore = Pick<HostTokenStore, 'get' | 'put' | 'delete'> & Partial<Pick<HostTokenStore, 'claim'>>;

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
