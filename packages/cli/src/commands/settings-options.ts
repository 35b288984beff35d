import type { Command } from 'commander';

/** The options of every command that runs until it is stopped. */
export interface SettingsFlags {
  readonly config?: string;
  /** A SQLite file, `:memory:`, or the address of a PostgreSQL database. */
  readonly store?: string;
}

export function addSettingsOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'settings (default: QUARTERMASTER_CONFIG, else quartermaster.yaml if it exists)')
    .option(
      '--store <place>',
      'a SQLite file, postgres://…, or :memory: (default: .quartermaster/store.db beside the settings file; without one, ' +
        "store.db in the user's data folder)",
    );
}
