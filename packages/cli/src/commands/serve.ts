import { type Command, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface ServeFlags extends SettingsFlags {
  readonly host?: string;
  readonly port?: number;
  readonly mcpConfig?: readonly string[];
  /** @default text in a terminal, JSON elsewhere */
  readonly log?: (typeof LOG_FORMS)[number];
}

const LOG_FORMS = ['text', 'json', 'none'] as const;

export function addServeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .description('serve the Anthropic and OpenAI APIs with tool search, on any model')
    .option(
      '-p, --port <n>',
      'the port; 0 picks a free one (default: 8787; if it is taken and there is no settings file, the next free one)',
      wholeNumber(0, 65_535),
    )
    .option('--host <address>', 'the address to listen on; any but loopback requires keys (default: 127.0.0.1)')
    .option('-m, --mcp-config <file...>', 'MCP servers to serve at /mcp and as catalogs: files such as .mcp.json');
  addSettingsOptions(command)
    .addOption(
      new Option('--log <form>', 'how to log requests on stderr (default: text in a terminal, json elsewhere)').choices(
        LOG_FORMS,
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (flags: ServeFlags) => {
      // Loaded when needed: the other commands should not wait for a server.
      const { serveGateway } = await import('../serving/index.ts');
      await serveGateway(flags, context);
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster serve
  $ quartermaster serve --port 9000 --store :memory:
  $ quartermaster serve --config quartermaster.yaml

Without settings, a mock model answers for every model, so you need no API key,
and the sample catalog can be searched. A quartermaster.yaml for a real model:

  upstreams:
    - models: ["claude-*"]
      provider: anthropic
      apiKey: \${ANTHROPIC_API_KEY}

SIGINT and SIGTERM let responses in progress finish, for 30 seconds at most; a
second signal exits at once.
Exit status: 0 stopped by a signal, 2 the command line or the settings can't be
used, 69 port or store unavailable.`;
