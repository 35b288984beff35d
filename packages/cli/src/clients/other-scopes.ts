import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { CLIENTS, type McpClient, ofProject } from './known-clients.ts';
import type { Installed, Ledger } from './ledger.ts';
import type { Places } from './places.ts';

/**
 * Earlier moves of the same client whose entry has the name of this one. In a project, a client uses only one of them: the project's
 * entry hides the user's, and in Claude Code the one of the scope "local" also hides that of `.mcp.json`.
 */
export interface OtherScopes {
  /** Files with the servers of entries that this one hides. It has to start these too. */
  readonly hidden: readonly string[];
  /** Projects in the same file whose entry hides this one. */
  readonly hiding: readonly McpClient[];
  /** Other files whose entry hides this one. */
  readonly hidingFiles: readonly string[];
}

export interface ScopeOptions {
  readonly client: McpClient;
  readonly file: string;
  readonly places: Places;
  readonly ledger: Ledger;
}

export function findOtherScopes({ client, file, places, ledger }: ScopeOptions): OtherScopes {
  const path = realpathSync(file);
  const own = scopeOf({ file: path, project: client.project }, client, places);
  const others = ledger.list().filter((one) => one.client === client.id && own !== undefined && !client.showsAllScopes);
  const related = others.flatMap((one) => {
    const scope = scopeOf(one, client, places);
    return own !== undefined && scope !== undefined && shareAProject(own, scope) ? [{ one, rank: scope.rank }] : [];
  });
  const rank = own?.rank ?? 0;
  const hiding = related.filter((other) => other.rank > rank).map(({ one }) => one);
  return {
    hidden: related.flatMap(({ one, rank: other }) =>
      other < rank && existsSync(one.servers.path) ? [one.servers.path] : [],
    ),
    hiding: hiding.flatMap(({ file: other, project }) =>
      other === path && project !== undefined ? [ofProject(userScope(client), project)] : [],
    ),
    hidingFiles: hiding.filter((one) => one.file !== path).map((one) => one.file),
  };
}

interface Scope {
  /** The entry of a higher rank hides the others. */
  readonly rank: 0 | 1 | 2;
  /** The project's folder. Undefined for the user's servers. */
  readonly folder?: string;
}

function scopeOf(
  { file, project }: Pick<Installed, 'file'> & { readonly project?: string | undefined },
  client: McpClient,
  places: Places,
): Scope | undefined {
  if (project !== undefined) return { rank: 2, folder: existsSync(project) ? realpathSync(project) : project };
  const users = client.files(places).filter((one) => existsSync(one));
  if (users.some((one) => realpathSync(one) === file)) return { rank: 0 };
  const name = client.projectFiles?.find((one) => file.endsWith(sep + one));
  return name === undefined ? undefined : { rank: 1, folder: file.slice(0, -name.length - 1) };
}

function shareAProject(one: Scope, other: Scope): boolean {
  return one.folder === undefined || other.folder === undefined || one.folder === other.folder;
}

function userScope(client: McpClient): McpClient {
  return CLIENTS.find(({ id }) => id === client.id) ?? client;
}
