import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import { Command, Option } from 'commander';
import type { CommandIo } from '../command-io.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal/index.ts';
import { wholeNumber } from './option-values.ts';

/** What every command gets. */
export interface CommandContext {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  /** Sets the exit status. A command that never calls it succeeds. */
  exit(code: ExitCode): void;
}

/** What a command does with its arguments, its flags and the context. */
type Act = (...given: never[]) => Promise<void>;

/** The settings of a command, and the store that they name or that it names itself. */
export interface SettingsFlags {
  readonly config?: string;
  /** A SQLite file, `:memory:`, or the address of a PostgreSQL database. */
  readonly store?: string;
}

/** The settings, and files with MCP servers. */
export interface ServerFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
}

/** A running gateway. */
export interface GatewayFlags {
  readonly url?: string;
  readonly key?: string;
}

export interface JsonFlag {
  readonly json?: true;
}

/** How the proxy lists tools. */
export type ProxyForm = (typeof PROXY_FORMS)[number];

const PROXY_FORMS = ['bridge', 'load', 'inline'] as const;

/** A command of this program: commander's, with the options that several of ours share. */
export class CommandLine extends Command {
  readonly context: CommandContext;

  constructor(name: string | undefined, context: CommandContext) {
    super(name);
    this.context = context;
  }

  override createCommand(name?: string): CommandLine {
    return new CommandLine(name, this.context);
  }

  /** `--config` and `--store`. */
  settings(): this {
    return this.option(
      '-c, --config <file>',
      'settings (default: QUARTERMASTER_CONFIG, else quartermaster.yaml if it exists)',
    ).option(
      '--store <place>',
      'a SQLite file, postgres://…, or :memory: (default: .quartermaster/store.db next to the settings file; without one, ' +
        "store.db in the user's data folder)",
    );
  }

  /** `--mcp-config`. */
  servers(about = "files with an mcpServers block, such as your client's .mcp.json"): this {
    return this.option('-m, --mcp-config <file...>', about);
  }

  /** `--url` and `--key`. */
  gateway(): this {
    return this.option(
      '-u, --url <address>',
      'the gateway (default: QUARTERMASTER_URL, else http://127.0.0.1:8787)',
    ).option('--key <secret>', 'an API key of the gateway (default: QUARTERMASTER_KEY)');
  }

  /** `--context` of a client, whose settings may say it. */
  clientContext(): this {
    return this.option(
      '--context <tokens>',
      `the context window of your client's model (default: mcp.contextTokens of the settings, else ${DEFAULT_CONTEXT_TOKENS})`,
      contextTokens,
    );
  }

  /** `--context` of a model. */
  modelContext(about: string): this {
    return this.option('--context <tokens>', about, contextTokens, DEFAULT_CONTEXT_TOKENS);
  }

  /** `--form` */
  form(): this {
    return this.addOption(
      new Option(
        '--form <name>',
        'bridge: three tools to search, describe and call; load: found tools are added to the list; inline: all tools, ' +
          'no search (default: all tools until they take 10% of the context window, then bridge)',
      ).choices(PROXY_FORMS),
    );
  }

  examples(text: string): this {
    return this.addHelpText('after', text);
  }

  /** What to do is loaded when the command runs: no command should wait for what the others need. */
  runs(load: () => Promise<Act>): this {
    return this.action(async (...given: readonly unknown[]) => {
      const act = (await load()) as (...given: readonly unknown[]) => Promise<void>;
      // The last one is the command itself.
      await act(...given.slice(0, -1), this.context);
    });
  }

  /** The same, with the servers that `init` moved if neither the flags nor the settings name any. */
  runsOnServers(load: () => Promise<Act>): this {
    return this.action(async (...given: readonly unknown[]) => {
      const { withInstalledServers } = await import('../clients/index.ts');
      const act = (await load()) as (...given: readonly unknown[]) => Promise<void>;
      const flags = given.at(-2) as ServerFlags;
      await act(...given.slice(0, -2), await withInstalledServers(flags, this.context), this.context);
    });
  }
}

const contextTokens = wholeNumber(1_000, 100_000_000);
