import type { Permissions } from '@quartermaster/mcp';
import type { Access } from '../access/index.ts';
import { ALL_SERVERS } from './server-catalogs.ts';

/**
 * What a key may use of the configured servers: its patterns for tools, otherwise every server whose catalog it
 * may use.
 */
export function permissionsOf(access: Access, servers: readonly string[]): Permissions {
  const { allow, deny } = access.tools ?? {};
  const denied = deny === undefined ? {} : { deny };
  if (allow !== undefined) return { allow, ...denied };
  if (access.mayUseCatalog(ALL_SERVERS)) return denied;
  return { allow: servers.filter((name) => PLAIN.test(name) && access.mayUseCatalog(name)), ...denied };
}

/** Any other name would mean something else as a pattern, and must not give access to another server. */
const PLAIN = /^(?!mcp__)[\w.-]+$/;
