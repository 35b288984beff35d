import { SNAPSHOT_DEFAULTS } from '@quartermaster/core/catalog';
import { InputError } from '../input-error.ts';
import type { CatalogFlags } from './catalog-options.ts';
import type { CommandLine, JsonFlag, SettingsFlags } from './command-line.ts';

export interface DoctorFlags extends CatalogFlags, SettingsFlags, JsonFlag {
  readonly tool?: string;
  readonly context?: number;
}

export function addDoctorCommand(program: CommandLine): void {
  const { context } = program;
  program
    .command('doctor')
    .description('check that tools are deferred and found, and say how to fix what is wrong')
    .argument('[request...]', 'a request in words: show what it finds instead of checking everything')
    .option('--tool <name>', 'explain why the request finds this tool or not')
    .servers()
    .option('-t, --tools <file...>', 'with a request: search these catalogs instead of starting servers')
    .clientContext()
    .option('--json', 'write one JSON object')
    .settings()
    .examples(EXAMPLES)
    .action(async (words: readonly string[], given: Omit<DoctorFlags, 'maxTools'>) => {
      const asked: DoctorFlags = { ...given, maxTools: SNAPSHOT_DEFAULTS.maxTools };
      const request = words.join(' ').trim();
      if (request === '' && (asked.tool ?? asked.tools) !== undefined) {
        throw new InputError(
          '--tool and --tools need a request: quartermaster doctor "send an email" --tool gmail/send_message',
        );
      }
      const { withInstalledServers } = await import('../clients/index.ts');
      const flags = asked.tools === undefined ? await withInstalledServers(asked, context) : asked;
      const { diagnose, diagnoseRequest } = await import('../doctor/index.ts');
      await (request === '' ? diagnose(flags, context) : diagnoseRequest(request, flags, context));
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster doctor
  $ quartermaster doctor --mcp-config .mcp.json --json
  $ quartermaster doctor "send an email" --tool gmail/send_message
  $ quartermaster doctor "send an email" --tool gmail_send --tools catalog.json

It checks the engine and why it was chosen, whether your tools are deferred and
what that saves, which MCP servers respond, variables and old versions that
switch tool search off in Claude Code, the store, its encryption key, and file
permissions. It starts every server, lists its tools, and stops it. If the
settings name no servers, it uses those that init moved. A request searches the
tools of your servers; without servers, the sample catalog.
Exit status: 0 nothing is wrong (or the tool is found), 1 problems were found
(or the tool is not), 2 the command line, the settings or a file can't be used.`;
