import type { Policy } from '@quartermaster/core/catalog';
import { noteChange } from './audit-store.ts';
import { decodedOf, encodeName, textOf } from './internal/columns.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Policies that were set at run time. They override those in the settings. */
export interface PolicyStore {
  list(): Promise<readonly StoredPolicy[]>;
  /** All of them or none. `by` is the key that makes the change. */
  change(changes: readonly PolicyChange[], by?: string): Promise<void>;
}

/** A policy that was set for a server or a tool. */
export interface StoredPolicy {
  readonly kind: 'server' | 'tool';
  /** A server's name, or a tool's id. */
  readonly name: string;
  readonly policy: Policy;
}

/** A policy to be set or removed. */
export interface PolicyChange extends Omit<StoredPolicy, 'policy'> {
  /** Without it the settings decide again. */
  readonly policy?: Policy | undefined;
}

export function createPolicyStore(context: StoreContext): PolicyStore {
  const { sql, now } = context;
  return {
    async list() {
      const rows = await sql.all('SELECT * FROM tool_policies ORDER BY kind, name');
      return rows.map((row) => ({
        kind: textOf(row, 'kind') as StoredPolicy['kind'],
        name: decodedOf(row, 'name'),
        policy: textOf(row, 'policy') as Policy,
      }));
    },

    change: (changes, by = '') =>
      sql.transaction(async (statements) => {
        for (const { kind, name, policy } of changes) {
          const stored = encodeName(name, kind === 'server' ? 'name of an MCP server' : 'id of a tool');
          if (policy === undefined) {
            await statements.run('DELETE FROM tool_policies WHERE kind = ? AND name = ?', [kind, stored]);
          } else {
            const row = { kind, name: stored, policy, updated_at: now() };
            await insertRows(statements, 'tool_policies', [row], { key: ['kind', 'name'], existing: 'replace' });
          }
          const subject = kind === 'server' ? `server ${name}` : name;
          await noteChange(statements, context, {
            ...{ actor: by, action: 'policy.change', subject },
            detail: policy ?? 'as in the settings',
          });
        }
      }),
  };
}
