export { addCommands } from './add-commands.ts';
export { type CatalogFlags, type LoadedCatalog, loadCatalog, readCatalog } from './catalog-options.ts';
export {
  type CommandContext,
  CommandLine,
  type GatewayFlags,
  type JsonFlag,
  type ProxyForm,
  type ServerFlags,
  type SettingsFlags,
} from './command-line.ts';
export type { DoctorFlags } from './doctor.ts';
export type { EnrichFlags } from './enrich.ts';
export { findTools, similarNames } from './find-tools.ts';
export type { LintFlags } from './lint.ts';
export type { ServeFlags } from './serve.ts';
