import { addCatalogsCommand } from './catalogs.ts';
import type { CommandLine } from './command-line.ts';
import { addCompletionCommand } from './completion.ts';
import { addConfigCommand } from './config.ts';
import { addDemoCommand } from './demo.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEnrichCommand } from './enrich.ts';
import { addEvalCommand } from './eval.ts';
import { addInitCommand } from './init.ts';
import { addInspectCommand } from './inspect.ts';
import { addKeysCommand } from './keys.ts';
import { addLintCommand } from './lint.ts';
import { addMcpCommand } from './mcp.ts';
import { addSearchCommand } from './search.ts';
import { addServeCommand } from './serve.ts';
import { addUsageCommand } from './usage.ts';
import { addWatchCommand } from './watch.ts';

/** All commands, in the order of the help. */
export function addCommands(program: CommandLine): void {
  addInitCommand(program);
  addDoctorCommand(program);
  addSearchCommand(program);
  addEvalCommand(program);
  addInspectCommand(program);
  addLintCommand(program);
  addEnrichCommand(program);
  addDemoCommand(program);
  addServeCommand(program);
  addWatchCommand(program);
  addMcpCommand(program);
  addCatalogsCommand(program);
  addKeysCommand(program);
  addUsageCommand(program);
  addConfigCommand(program);
  // Last: it completes the others.
  addCompletionCommand(program);
}
