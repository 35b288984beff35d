import type { Tool } from '@quartermaster/core';
import { applyPolicies, type Policy, type PolicyRules } from '@quartermaster/core/catalog';
import { memoized } from '@quartermaster/core/internal';
import type { PolicyChange, PolicyStore, StoredPolicy } from '@quartermaster/host/store';
import type { Hub } from '@quartermaster/mcp';

/**
 * When tools of servers and catalogs may be deferred: the rules in the settings, preceded by those that were set at run time.
 * The most specific rule decides, as in the settings.
 */
export interface LivePolicies {
  /** Those that were set at run time. */
  list(): readonly StoredPolicy[];
  change(changes: readonly PolicyChange[], by: string): Promise<void>;
  /** Reads what other replicas have set. */
  refresh(): Promise<void>;
  /** Resolves once the stored policies have been read for the first time. If the store fails, the settings apply. */
  readonly ready: Promise<void>;
  /** The same list until a policy changes. */
  apply(tools: readonly Tool[]): readonly Tool[];
  /** Identifies a set of policies; `''` if none was set at run time. */
  readonly revision: string;
}

export function createLivePolicies(options: {
  readonly settings: PolicyRules;
  /** Without it changes last as long as the process. */
  readonly store: PolicyStore | undefined;
  readonly hub: Pick<Hub, 'setPolicies'> | undefined;
}): LivePolicies {
  const { settings, store, hub } = options;
  let current: readonly StoredPolicy[] = [];
  let revision = '';
  const rule = () => memoized((tools: readonly Tool[]) => applyPolicies(tools, rulesOf({}, current)));
  let apply = rule();

  function take(next: readonly StoredPolicy[]): void {
    const mark = next.length === 0 ? '' : JSON.stringify(next);
    if (mark === revision) return;
    current = next;
    revision = mark;
    apply = rule();
    hub?.setPolicies(rulesOf(settings, current));
  }

  async function refresh(): Promise<void> {
    if (store !== undefined) take(await store.list());
  }

  return {
    list: () => current,
    refresh,
    ready: refresh().catch(() => undefined),
    async change(changes, by) {
      await store?.change(changes, by);
      if (store !== undefined) return refresh();
      const kept = current.filter((old) => !changes.some((one) => one.kind === old.kind && one.name === old.name));
      const set = changes.flatMap(({ kind, name, policy }) => (policy === undefined ? [] : [{ kind, name, policy }]));
      take([...kept, ...set]);
    },
    apply: (tools) => (revision === '' ? tools : apply(tools)),
    get revision() {
      return revision;
    },
  };
}

function rulesOf(settings: PolicyRules, stored: readonly StoredPolicy[]): PolicyRules {
  const of = (kind: StoredPolicy['kind']): Record<string, Policy> =>
    Object.fromEntries(stored.filter((one) => one.kind === kind).map(({ name, policy }) => [name, policy]));
  return {
    ...settings,
    tools: { ...settings.tools, ...of('tool') },
    servers: { ...settings.servers, ...of('server') },
  };
}
