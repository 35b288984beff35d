export { addCommands } from './add-commands.ts';
export { type LoadedCatalog, loadCatalog, readCatalog } from './catalog-options.ts';
export type { DiffCatalogsFlags, ListCatalogsFlags, PushCatalogFlags } from './catalogs.ts';
export {
  type CommandContext,
  CommandLine,
  type GatewayFlags,
  type ProxyForm,
  type ServerFlags,
  type SettingsFlags,
} from './command-line.ts';
export type { DoctorFlags } from './doctor.ts';
export type { EnrichFlags } from './enrich.ts';
export { findTools, similarNames } from './find-tools.ts';
export type { InitFlags } from './init.ts';
export type {
  AuditFlags,
  CreateKeyFlags,
  ListKeysFlags,
  RightsFlags,
  RotateKeyFlags,
  UpdateKeyFlags,
} from './keys.ts';
export type { LintFlags } from './lint.ts';
export type {
  InputFlags,
  InstallFlags,
  LoginFlags,
  LogoutFlags,
  McpFlags,
  StatusFlags,
  UninstallFlags,
} from './mcp.ts';
export type { ServeFlags } from './serve.ts';
export type { ForgetUsageFlags, ListUsageFlags, UsageFlags } from './usage.ts';
export type { WatchFlags } from './watch.ts';
