import type { PolicyRules } from '@quartermaster/core/catalog';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import type { AgentDefinitions } from './create-subagents.ts';
import type { HooksByEvent } from './hooks/index.ts';
import type { AgentForm, AgentUpstream } from './model/index.ts';
import type { CanUseTool, PermissionMode } from './permissions/index.ts';
import type { Usage } from './sdk-message.ts';
import type { McpServerConfig, SignIn } from './servers/index.ts';
import type { SessionStore } from './session/index.ts';
import type { ModelPrice, OutputFormat } from './turn/index.ts';

/** Options of a query: the agent SDK's options that have a meaning here, and a few of our own. */
export interface Options {
  /** Aborts everything: the generator, the request to the model, calls, and the servers' processes. */
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
  /** Tools that the model doesn't see, in the same spelling. Overrides everything else. @default none */
  readonly disallowedTools?: readonly string[];
  /** Asked about calls that neither the rules nor the mode decide. @default such calls are denied */
  readonly canUseTool?: CanUseTool;
  /**
   * `["tool_search"]` defers tools once there are `toolSearchThreshold` of them; a list without it never defers. `ENABLE_TOOL_SEARCH` in
   * `env` overrides it.
   */
  readonly capabilities?: readonly string[];
  /** The model's context window. @default the upstream's settings, else the table of known models */
  readonly contextTokens?: number;
  /** Whether to continue the latest session in `cwd`, or start one if there is none. Not together with `resume`. @default false */
  readonly continue?: boolean;
  /** What a model's tokens cost, in dollars. Overrides `prices`. @default computed from `prices` */
  readonly costOf?: (usage: Usage, model: string) => number;
  /** Where servers are started, and where quartermaster.yaml is read from. @default the process's folder */
  readonly cwd?: string;
  /** Whether `rewindFiles()` can undo what `Write` and `Edit` change. Kept in memory, up to 256 MB. @default false */
  readonly enableFileCheckpointing?: boolean;
  /** Overrides the process's environment: `ENABLE_TOOL_SEARCH`, keys, `MCP_TIMEOUT`, `MCP_TOOL_TIMEOUT`, `MAX_MCP_OUTPUT_TOKENS`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * How schemas reach the model: `stub`, `bridge`, `load`, `native` or `hosted`. A form that the model's transport can't carry becomes
   * `bridge`.
   * @default auto: stub if `capabilities` decide, else native if the host expands references, else load
   */
  readonly form?: AgentForm | 'auto';
  /** Whether a resumed session continues under a new id. @default false */
  readonly forkSession?: boolean;
  /** Whether the text of subagents is yielded too, not only their calls and results. @default false */
  readonly forwardSubagentText?: boolean;
  readonly hooks?: HooksByEvent;
  /** Whether parts of responses are yielded as they arrive. @default false */
  readonly includePartialMessages?: boolean;
  /** The budget of the query in dollars. Needs prices or `costOf`. Checked before each response. @default no limit */
  readonly maxBudgetUsd?: number;
  /** Tokens in one response. @default a quarter of the window, at most 8,192 */
  readonly maxOutputTokens?: number;
  /** Responses of the model to one prompt, at least 1. @default 200 */
  readonly maxTurns?: number;
  /** By name, as in MCP configuration files: processes, addresses, and servers in this process. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** @default ANTHROPIC_MODEL, else the first one in quartermaster.yaml, else the provider's default */
  readonly model?: string;
  /** A JSON Schema for the result, which is then also in `structured_output`. The model may correct itself three times. */
  readonly outputFormat?: OutputFormat;
  /** @default 'default' */
  readonly permissionMode?: PermissionMode;
  /** Whether the session is stored. @default true */
  readonly persistSession?: boolean;
  /** Tools that are always sent in full: ids (`github/create_issue`), names, or patterns with `*`. @default `tools.pins` in quartermaster.yaml */
  readonly pins?: readonly string[];
  /** When tools may be deferred, by tool, pattern and server. @default `tools.policies` in quartermaster.yaml */
  readonly policies?: PolicyRules;
  /**
   * Dollars per million tokens, by model name or pattern: `{ 'claude-*': { input: 5, output: 25 } }`.
   * @default `prices` in quartermaster.yaml, as far as they have `output`
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** The id of a session to continue. */
  readonly resume?: string;
  /** What searches the tools. @default `search.engine` in quartermaster.yaml, else keywords and embeddings */
  readonly searcher?: SearcherSource;
  /** The id of a new session, or of a fork. @default a random UUID */
  readonly sessionId?: string;
  /** Where sessions are stored. @default files under `.quartermaster/sessions` in `cwd` */
  readonly sessions?: SessionStore;
  /** How the user signs in to servers with `oauth: true`. @default such servers are `needs-auth` */
  readonly signIn?: SignIn;
  /**
   * How long the first message waits for servers that are still starting, in milliseconds. Searches find the tools that arrive later.
   * Servers whose tools are always sent get at least 5 seconds. @default 1000
   */
  readonly startWaitMs?: number;
  readonly systemPrompt?:
    | string
    | readonly string[]
    | { readonly type: 'preset'; readonly preset: string; readonly append?: string };
  /**
   * Built-in tools: `Read`, `Write`, `Edit`, `Glob`, `Grep`, `Bash`, or the preset `claude_code` for all of them. Those named in
   * `allowedTools` are available too. Files are confined to `cwd`; a shell is not. @default none
   */
  readonly tools?: readonly string[] | { readonly type: 'preset'; readonly preset: 'claude_code' };
  /** The number of tools at which `capabilities: ["tool_search"]` starts to defer them, 0 or more. @default 15 */
  readonly toolSearchThreshold?: number;
  /** Where the model is. @default quartermaster.yaml, else a provider whose key is in the environment */
  readonly upstream?: AgentUpstream;
}

/** The defaults of the options of `query`. */
export const OPTION_DEFAULTS: {
  readonly maxTurns: number;
  readonly maxResultTokens: number;
  readonly permissionMode: PermissionMode;
} = { maxTurns: 200, maxResultTokens: 25_000, permissionMode: 'default' };
