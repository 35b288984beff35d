import type { PolicyRules } from '@quartermaster/core/catalog';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import type { AgentDefinitions } from './agents/index.ts';
import type { BuiltInChoice } from './built-in/index.ts';
import type { HooksByEvent } from './hooks/index.ts';
import type { AgentForm, AgentUpstream } from './model/index.ts';
import type { CanUseTool, PermissionMode } from './permissions/index.ts';
import type { Usage } from './sdk-message.ts';
import type { McpServerConfig, SignIn } from './servers/index.ts';
import type { SessionStore } from './session/index.ts';
import type { ModelPrice, OutputFormat } from './turn/index.ts';

/** Options of a query: those of the agent SDK that have a meaning here, and a few of our own. */
export interface Options {
  /** Ends everything: the generator, the request to the model, calls, and the servers' processes. */
  readonly abortController?: AbortController;
  /** Folders that built-in tools may use besides `cwd`. @default none */
  readonly additionalDirectories?: readonly string[];
  /**
   * Subagents that the model can give tasks to, by name. Each searches and calls tools within its own scope. The model needs permission to use
   * them: `allowedTools: ['Agent']`.
   */
  readonly agents?: AgentDefinitions;
  /** Tools that may be called without asking: `mcp__server__tool`, `mcp__server__*`, `mcp__server`; `Agent`, `Read`, `Read(src/*)`, `Bash(git diff:*)`. @default none */
  readonly allowedTools?: readonly string[];
  /** Tools that do not exist for the model, in the same spelling. Stronger than everything else. @default none */
  readonly disallowedTools?: readonly string[];
  /** Asked about calls that rules and the mode leave open. @default such calls are denied */
  readonly canUseTool?: CanUseTool;
  /**
   * `["tool_search"]` defers tools from `toolSearchThreshold` of them on, a list without it never. `ENABLE_TOOL_SEARCH` in `env` is
   * stronger.
   */
  readonly capabilities?: readonly string[];
  /** The model's window. @default what the upstream's settings or the table of known models say */
  readonly contextTokens?: number;
  /** Whether to continue the latest session in `cwd`, or start one if there is none. Not with `resume`. @default false */
  readonly continue?: boolean;
  /** What a model's tokens cost, in dollars. Stronger than `prices`. @default what `prices` say */
  readonly costOf?: (usage: Usage, model: string) => number;
  /** Where servers are started, and where quartermaster.yaml is looked for. @default the process's folder */
  readonly cwd?: string;
  /** Whether what `Write` and `Edit` change can be put back with `rewindFiles()`. Kept in memory, up to 256 MB. @default false */
  readonly enableFileCheckpointing?: boolean;
  /** Variables over those of the process: `ENABLE_TOOL_SEARCH`, keys, `MCP_TIMEOUT`, `MCP_TOOL_TIMEOUT`, `MAX_MCP_OUTPUT_TOKENS`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * How schemas reach the model: `stub`, `bridge`, `load`, `native` or `hosted`. One that the model's transport can't carry becomes
   * `bridge`.
   * @default auto: stub where `capabilities` decide, else native where the host expands references, else load
   */
  readonly form?: AgentForm | 'auto';
  /** Whether a resumed session continues under a new id. @default false */
  readonly forkSession?: boolean;
  /** Whether the text of subagents is yielded too, not only their calls and results. @default false */
  readonly forwardSubagentText?: boolean;
  readonly hooks?: HooksByEvent;
  /** Whether parts of responses are yielded as they come. @default false */
  readonly includePartialMessages?: boolean;
  /** What the query may cost, in dollars. Needs prices or `costOf`. Checked before each response. @default no limit */
  readonly maxBudgetUsd?: number;
  /** Tokens in one response. @default a quarter of the window, at most 8,192 */
  readonly maxOutputTokens?: number;
  /** Responses of the model to one prompt, at least 1. @default 200 */
  readonly maxTurns?: number;
  /** By name, as in the usual block: processes, addresses, and servers in this process. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** @default ANTHROPIC_MODEL, else the first one in quartermaster.yaml, else the provider's usual one */
  readonly model?: string;
  /** A JSON Schema for the result, which is then also in `structured_output`. The model may correct itself three times. */
  readonly outputFormat?: OutputFormat;
  /** @default 'default' */
  readonly permissionMode?: PermissionMode;
  /** Whether the session is kept. @default true */
  readonly persistSession?: boolean;
  /** Tools that are always sent in full: ids (`github/create_issue`), names, or patterns with `*`. @default `tools.pins` in quartermaster.yaml */
  readonly pins?: readonly string[];
  /** When tools may be deferred, by tool, pattern and server. @default `tools.policies` in quartermaster.yaml */
  readonly policies?: PolicyRules;
  /** Dollars for a million tokens, by a model's name or a pattern with `*`: `{ 'claude-*': { input: 5, output: 25 } }`. @default `prices` in quartermaster.yaml, as far as they have `output` */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** The id of a session to continue. */
  readonly resume?: string;
  /** What searches the tools. @default what `search.engine` in quartermaster.yaml says, else words and meaning */
  readonly searcher?: SearcherSource;
  /** The id of a new session, or of a fork. @default a random UUID */
  readonly sessionId?: string;
  /** Where sessions are kept. @default files under `.quartermaster/sessions` in `cwd` */
  readonly sessions?: SessionStore;
  /** How the user signs in to servers with `oauth: true`. @default such servers are `needs-auth` */
  readonly signIn?: SignIn;
  /**
   * How long the first message waits for servers that are still starting, in milliseconds. What comes later is found by searches. Servers
   * whose tools are always sent get 5 seconds at least. @default 1000
   */
  readonly startWaitMs?: number;
  readonly systemPrompt?:
    | string
    | readonly string[]
    | { readonly type: 'preset'; readonly preset: string; readonly append?: string };
  /**
   * Built-in tools: `Read`, `Write`, `Edit`, `Glob`, `Grep`, `Bash`, or the preset `claude_code` for all of them. Those that `allowedTools` names are
   * there too. Files are confined to `cwd`; a shell is not. @default none
   */
  readonly tools?: NonNullable<BuiltInChoice['tools']>;
  /** The number of tools from which on `capabilities: ["tool_search"]` defers them, 0 or more. @default 15 */
  readonly toolSearchThreshold?: number;
  /** Where the model is. @default quartermaster.yaml, else a provider whose key is in the environment */
  readonly upstream?: AgentUpstream;
}

/** What applies unless the options of `query` say otherwise. */
export const OPTION_DEFAULTS: {
  readonly maxTurns: number;
  readonly maxResultTokens: number;
  readonly permissionMode: PermissionMode;
} = { maxTurns: 200, maxResultTokens: 25_000, permissionMode: 'default' };
