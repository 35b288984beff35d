import type { CommandIo } from '../command-io.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal/index.ts';

/** What every command gets. */
export interface CommandContext {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  /** Sets the exit status. A command that never calls it succeeds. */
  exit(code: ExitCode): void;
}
