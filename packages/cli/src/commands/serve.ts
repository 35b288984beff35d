import { type Command, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface ServeFlags extends SettingsFlags {
  readonly host?: string;
  readonly port?: number;
  readonly mcpConfig?: readonly string[];
  /** @default lines for people in a terminal, JSON elsewhere */
  readonly log?: (typeof LOG_FORMS)[number];
}

const LOG_FORMS = ['text', 'json', 'none'] as const;

export function addServeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .description('serve tool search over any model, for clients of Anthropic and OpenAI')
    .option(
      '-p, --port <n>',
      'the port; 0 takes any free one (default: 8787, or the next free one)',
      wholeNumber(0, 65_535),
    )
    .option('--host <address>', 'where to listen; beyond this machine only with keys (default: 127.0.0.1)')
    .option('-m, --mcp-config <file...>', 'MCP servers to serve at /mcp and as catalogs: files such as .mcp.json');
  addSettingsOptions(command)
    .addOption(
      new Option('--log <form>', 'requests on stderr (default: text in a terminal, json elsewhere)').choices(LOG_FORMS),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (flags: ServeFlags) => {
      // Loaded when it is needed: the other commands should not wait for a server.
      const { serveGateway } = await import('../serving/index.ts');
      await serveGateway(flags, context);
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster serve
  $ quartermaster serve --port 9000 --store :memory:
  $ quartermaster serve --config quartermaster.yaml

Without settings it needs no key: a stand-in that is no language model answers for every model, and the sample catalog
can be searched. A quartermaster.yaml with a real one behind it:

  upstreams:
    - models: ["claude-*"]
      provider: anthropic
      apiKey: \${ANTHROPIC_API_KEY}

SIGINT and SIGTERM finish the answers under way, for 30 seconds at most; a second signal ends at once.
Exit status: 0 stopped when asked to, 2 the command line or the settings can't be used, 69 a port or the store can't be had.`;
