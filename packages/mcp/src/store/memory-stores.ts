import type {
  ListingStore as HostListingStore,
  TaskOwnerStore as HostTaskOwnerStore,
  TokenStore as HostTokenStore,
  Pin,
  PinStore,
  StoredListing,
  TaskPlace,
  TokenOwner,
} from '@quartermaster/host/store';

/** Where listings are stored between runs. The key is made of a server's settings, without secrets. */
export type ListingStore = Pick<HostListingStore, 'get' | 'put'>;

/** Records which client created which task. */
export type TaskOwnerStore = Pick<HostTaskOwnerStore, 'put' | 'isOwner' | 'list'>;

/**
 * Where OAuth tokens are stored, one value per user and server. An implementation that outlives the process encrypts
 * them; a value is never returned to another user. A store without `claim` is used by one process at a time.
 */
export type TokenStore = Pick<HostTokenStore, 'get' | 'put' | 'delete'> & Partial<Pick<HostTokenStore, 'claim'>>;

/** Keeps listings in memory. */
export function createMemoryListingStore(): ListingStore {
  const listings = new Map<string, StoredListing>();
  return {
    get: async (key) => listings.get(key),
    put: async (key, listing) => void listings.set(key, listing),
  };
}

/** Keeps pins in memory. */
export function createMemoryPinStore(): PinStore {
  const pins = new Map<string, readonly Pin[]>();
  return {
    get: async (server) => pins.get(server) ?? [],
    put: async (server, list) => void pins.set(server, list),
  };
}

/** How many tasks are remembered; the oldest are forgotten first. */
const MOST_TASKS = 10_000;

/** Records which client created which task in memory, for one process. */
export function createMemoryTaskOwnerStore(): TaskOwnerStore {
  const owners = new Map<string, TaskPlace & { readonly owner: string }>();
  const keyOf = ({ server, task }: TaskPlace): string => JSON.stringify([server, task]);
  return {
    async put(task, owner) {
      owners.delete(keyOf(task));
      owners.set(keyOf(task), { ...task, owner });
      const [oldest] = owners.keys();
      if (owners.size > MOST_TASKS && oldest !== undefined) owners.delete(oldest);
    },
    isOwner: async (task, owner) => owners.get(keyOf(task))?.owner === owner,
    async list(server, owner) {
      const theirs = [...owners.values()].filter((one) => one.server === server && one.owner === owner);
      return new Set(theirs.map(({ task }) => task));
    },
  };
}

/** Keeps tokens in memory. */
export function createMemoryTokenStore(): TokenStore {
  const values = new Map<string, string>();
  const claimed = new Set<string>();
  return {
    get: async (owner) => values.get(ownerKey(owner)),
    put: async (owner, value) => void values.set(ownerKey(owner), value),
    delete: async (owner) => void values.delete(ownerKey(owner)),
    // It ends with its process, and so do its claims.
    claim: async (owner) => {
      const key = ownerKey(owner);
      if (claimed.has(key)) return undefined;
      claimed.add(key);
      return async () => void claimed.delete(key);
    },
  };
}

/** One text for one user at one server. */
export function ownerKey({ user, server }: TokenOwner): string {
  return JSON.stringify([user, server]);
}
