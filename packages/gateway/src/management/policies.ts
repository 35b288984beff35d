import type { Tool } from '@quartermaster/core';
import { applyPolicies, type Policy, type PolicyRules } from '@quartermaster/core/catalog';
import type { PolicyChange, PolicyStore, StoredPolicy } from '@quartermaster/host/store';
import type { Hub } from '@quartermaster/mcp';

/**
 * When tools of servers and catalogs may be deferred: the rules of the settings, and those that were set while running, which
 * stand before them. The most specific rule decides, as in the settings.
 */
export interface LivePolicies {
  /** Those that were set while running. */
  list(): readonly StoredPolicy[];
  change(changes: readonly PolicyChange[], by: string): Promise<void>;
  /** Takes what other replicas have set. */
  refresh(): Promise<void>;
  /** Resolves once what is stored has been read for the first time. A store that fails leaves the settings. */
  readonly ready: Promise<void>;
  /** The same list until a policy changes. */
  apply(tools: readonly Tool[]): readonly Tool[];
  /** Tells one set of policies from another; `''` where none was set while running. */
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
  let applied = new WeakMap<readonly Tool[], readonly Tool[]>();

  function take(next: readonly StoredPolicy[]): void {
    const mark = next.length === 0 ? '' : JSON.stringify(next);
    if (mark === revision) return;
    current = next;
    revision = mark;
    applied = new WeakMap();
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
    apply(tools) {
      if (revision === '') return tools;
      const known = applied.get(tools) ?? applyPolicies(tools, rulesOf({}, current));
      applied.set(tools, known);
      return known;
    },
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
