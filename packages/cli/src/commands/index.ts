export { type LoadedCatalog, loadCatalog, readCatalog } from './catalog-options.ts';
export {
  addCatalogsCommand,
  type DiffCatalogsFlags,
  type ListCatalogsFlags,
  type PushCatalogFlags,
} from './catalogs.ts';
export type { CommandContext } from './command-context.ts';
export { addCompletionCommand } from './completion.ts';
export { addConfigCommand } from './config.ts';
export { addDemoCommand } from './demo.ts';
export { addDoctorCommand, type DoctorFlags } from './doctor.ts';
export { addEnrichCommand, type EnrichFlags } from './enrich.ts';
export { addEvalCommand } from './eval.ts';
export { findTools, similarNames } from './find-tools.ts';
export type { ProxyForm } from './form-option.ts';
export type { GatewayFlags } from './gateway-options.ts';
export { addInitCommand, type InitFlags } from './init.ts';
export { addInspectCommand } from './inspect.ts';
export {
  type AuditFlags,
  addKeysCommand,
  type CreateKeyFlags,
  type ListKeysFlags,
  type RightsFlags,
  type RotateKeyFlags,
  type UpdateKeyFlags,
} from './keys.ts';
export { addLintCommand, type LintFlags } from './lint.ts';
export { addMcpCommand, type McpFlags } from './mcp.ts';
export type { AcceptFlags } from './mcp-accept.ts';
export type { InputFlags } from './mcp-input.ts';
export type { InstallFlags, UninstallFlags } from './mcp-install.ts';
export type { LoginFlags, LogoutFlags } from './mcp-sign-in.ts';
export type { StatusFlags } from './mcp-status.ts';
export { addSearchCommand } from './search.ts';
export { addServeCommand, type ServeFlags } from './serve.ts';
export { addUsageCommand, type ForgetUsageFlags, type ListUsageFlags, type UsageFlags } from './usage.ts';
export { addWatchCommand, type WatchFlags } from './watch.ts';
