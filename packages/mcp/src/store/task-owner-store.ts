import type { TaskOwnerStore as HostTaskOwnerStore, TaskPlace } from '@quartermaster/host/store';

/** Records which client created which task. */
export type TaskOwnerStore = Pick<HostTaskOwnerStore, 'put' | 'isOwner' | 'list'>;

/** How many tasks are remembered; the oldest are forgotten first. */
const MOST_TASKS = 10_000;

/** Records them in memory, for one process. */
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
