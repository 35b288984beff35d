import type { CommandIo } from '../command-io.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal/index.ts';

/** What every command gets. */
export interface CommandContext {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  /** Sets the exit status; without it a command that ends has succeeded. */
  exit(code: ExitCode): void;
}
