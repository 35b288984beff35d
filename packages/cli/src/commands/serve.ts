import { Option } from 'commander';
import type { CommandLine, ServerFlags } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

export interface ServeFlags extends ServerFlags {
  readonly host?: string;
  readonly port?: number;
  /** @default text in a terminal, JSON elsewhere */
  readonly log?: (typeof LOG_FORMS)[number];
}

const LOG_FORMS = ['text', 'json', 'none'] as const;

export function addServeCommand(program: CommandLine): void {
  program
    .command('serve')
    .description('serve the Anthropic and OpenAI APIs with tool search, on any model')
    .option(
      '-p, --port <n>',
      'the port; 0 picks a free one (default: 8787; if it is taken and there is no settings file, the next free one)',
      wholeNumber(0, 65_535),
    )
    .option('--host <address>', 'the address to listen on; any but loopback requires keys (default: 127.0.0.1)')
    .servers('MCP servers to serve at /mcp and as catalogs: files such as .mcp.json')
    .settings()
    .addOption(
      new Option('--log <form>', 'how to log requests on stderr (default: text in a terminal, json elsewhere)').choices(
        LOG_FORMS,
      ),
    )
    .examples(EXAMPLES)
    .runs(async () => (await import('../serving/index.ts')).serveGateway);
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
