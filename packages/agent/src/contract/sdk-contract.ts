import { defined } from '@quartermaster/core/internal';
/** How this package treats a name of the agent SDK. */
export type Standing =
  /** Works; the note says what differs. */
  | 'supported'
  /** Throws at once; the note says what to do instead. */
  | 'refused'
  /** Accepted because it would change nothing here; the note says why. */
  | 'ignored';

export interface ContractRow {
  readonly standing: Standing;
  readonly note: string;
  /** Values of a refused option that request nothing, and so are accepted. `false`, `[]`, `{}` and `''` always are. */
  readonly harmless?: readonly unknown[];
}

export type ContractTable = Readonly<Record<string, ContractRow>>;

const supported = (note = ''): ContractRow => ({ standing: 'supported', note });
const refused = (note: string, harmless?: readonly unknown[]): ContractRow => ({
  standing: 'refused',
  note,
  ...defined({ harmless }),
});
const ignored = (note: string): ContractRow => ({ standing: 'ignored', note });

const NO_PROCESS = 'No process is started for the agent itself.';
const NO_SETTINGS_FILES = 'Use options, or `quartermaster.yaml` in `cwd`.';
const NO_DIALOGS = 'Nothing here opens dialogs.';
const THINKING = "Set it in the model's own settings, in a custom `upstream`.";
const NO_BACKGROUND = 'Nothing runs in the background here: a subagent ends before its call returns.';

/** Options of `query()`. */
export const OPTION_ROWS: ContractTable = {
  abortController: supported(),
  additionalDirectories: supported('For built-in tools.'),
  agent: refused('Put its prompt into `systemPrompt`, and name the tools it may not use in `disallowedTools`.'),
  agentProgressSummaries: refused('Read the `assistant` messages instead.'),
  agents: supported('See the table of agent fields. Their conversations are not kept.'),
  allowDangerouslySkipPermissions: ignored('`permissionMode` alone decides.'),
  allowedTools: supported(),
  betas: refused("Set `contextTokens` for a larger window; headers belong to the upstream's own settings."),
  canUseTool: supported(),
  continue: supported('The latest session in `cwd`, or a new one if there is none. Not with a database store.'),
  cwd: supported(),
  debug: ignored('There is no debug log.'),
  debugFile: ignored('There is no debug log.'),
  disallowedTools: supported(),
  effort: refused(THINKING),
  enableFileCheckpointing: supported('Changes by `Write` and `Edit`, kept in memory while the query lasts.'),
  env: supported('Merged with the environment of the process; the SDK replaces it.'),
  executable: ignored(NO_PROCESS),
  executableArgs: ignored(NO_PROCESS),
  extraArgs: refused('There is no command line to pass these to: use options.'),
  fallbackModel: refused('Call `setModel()` when a result reports an error.'),
  forkSession: supported(),
  forwardSubagentText: supported(),
  hooks: supported('See the table of hook events.'),
  includeHookEvents: refused('Log from the hooks themselves.'),
  includePartialMessages: supported(),
  loadTimeoutMs: ignored('Belongs to `sessionStore`, which is refused.'),
  managedSettings: refused(NO_SETTINGS_FILES),
  maxBudgetUsd: supported(
    'Needs `prices` (or those in `quartermaster.yaml`) or `costOf`: none are built in. Checked before each response.',
  ),
  maxThinkingTokens: refused(THINKING),
  maxTurns: supported('At least 1; 200 by default.'),
  mcpServers: supported(),
  mcpServersDelivery: ignored(NO_PROCESS),
  model: supported('Any model of any provider.'),
  onElicitation: refused('MCP servers see a client without elicitation; pass what they need in `env` or `headers`.'),
  onUserDialog: ignored(NO_DIALOGS),
  outputFormat: supported('The schema is added to the prompt. The model may correct its answer three times.'),
  pathToClaudeCodeExecutable: ignored(NO_PROCESS),
  permissionMode: supported('`default`, `acceptEdits`, `bypassPermissions`, `plan`, `dontAsk`.'),
  permissionPrompts: refused("Use permissionMode: 'dontAsk' to deny what would be asked.", ['host']),
  permissionPromptToolName: refused('Use `canUseTool`.'),
  persistSession: supported(),
  perTaskStopAffordance: ignored(NO_BACKGROUND),
  planModeInstructions: refused('Put them into `systemPrompt`.'),
  pluginDelivery: ignored('Belongs to `plugins`, which are refused.'),
  plugins: refused('Pass their servers in `mcpServers` and their hooks in `hooks`.'),
  projectConfigRoot: refused('No project settings are read. `quartermaster.yaml` is read from `cwd`.'),
  promptSuggestions: refused('Ask the model for them in a prompt.'),
  resume: supported(),
  resumeDropsTurn: refused('Fork an earlier session with `forkSession`.'),
  resumeSessionAt: refused('Fork an earlier session with `forkSession`.'),
  sandbox: refused('File tools are confined to `cwd`. For commands, run the whole program in a container.'),
  sessionId: supported(),
  sessionStore: refused('Use `sessions`: an object with `read` and `append`, or one of the stores in this package.'),
  sessionStoreFlush: ignored('Belongs to `sessionStore`, which is refused.'),
  settings: refused(NO_SETTINGS_FILES),
  settingSources: refused(`No settings files are read. ${NO_SETTINGS_FILES}`),
  skills: refused('Put their text into `systemPrompt`.'),
  spawnClaudeCodeProcess: refused(
    'No process is started, so there is nothing to isolate. Run the whole program there.',
  ),
  stderr: ignored(NO_PROCESS),
  strictMcpConfig: ignored('Only the servers in `mcpServers` are used, always.'),
  supportedDialogKinds: ignored(NO_DIALOGS),
  systemPrompt: supported('Of a preset, only `append` is used: the preset itself belongs to the SDK.'),
  taskBudget: refused('Set `maxTurns` or `maxBudgetUsd`.'),
  thinking: refused(THINKING),
  title: ignored('Sessions have no titles.'),
  toolAliases: refused('Give the tool the name that the model should see.'),
  toolConfig: refused('The tools that it configures are not available.'),
  tools: supported(
    '`Read`, `Write`, `Edit`, `Glob`, `Grep`, `Bash`; none by default. Naming one in `allowedTools` also turns it on.',
  ),
  verbatimPrompts: ignored('Prompts are always sent as written.'),
};

/** Methods of what `query()` returns. A refused one rejects. */
export const METHOD_ROWS: ContractTable = {
  accountInfo: refused('Accounts belong to the provider.'),
  applyFlagSettings: refused('Start another query with other options.'),
  backgroundTasks: refused(NO_BACKGROUND),
  close: supported(),
  getContextUsage: supported('Estimates. Without `gridRows`, `memoryFiles` and colours.'),
  initializationResult: refused('Read the `init` message.'),
  interrupt: supported('Resolves to nothing.'),
  mcpServerStatus: supported(),
  readFile: refused('Read the file with node:fs.'),
  readMcpResource: supported(),
  reconnectMcpServer: supported(),
  reinitialize: refused('Start another query with `resume`.'),
  reloadOutputStyles: refused('There are no output styles.'),
  reloadPlugins: refused('There are no plugins.'),
  reloadSkills: refused('There are no skills.'),
  rewindFiles: supported('To the `init` message, a `user` message, or a prompt with a `uuid`. Without line counts.'),
  seedReadState: refused('Files can be edited without having been read.'),
  setMaxThinkingTokens: refused(THINKING),
  setMcpPermissionModeOverride: refused('Use `canUseTool`, which sees the name of the tool.'),
  setMcpServers: supported(),
  setModel: supported(),
  setPermissionMode: supported(),
  stopTask: refused(NO_BACKGROUND),
  streamInput: supported(),
  supportedAgents: supported(),
  supportedCommands: supported('Always an empty list: there are no slash commands.'),
  supportedModels: supported('The models named in the settings. You can use others of the upstream too.'),
  toggleMcpServer: supported(),
  updateSettings: refused(NO_SETTINGS_FILES),
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: refused('Read `usage` and `modelUsage` in the result.'),
};

/** Types of messages that the SDK yields. Ignored ones are never yielded here. */
export const MESSAGE_ROWS: ContractTable = {
  SDKAPIRetryMessage: ignored('The upstream retries by itself.'),
  SDKAssistantMessage: supported('Searches are `server_tool_use` and `tool_search_tool_result` blocks.'),
  SDKAuthStatusMessage: ignored('There is no account to sign in to.'),
  SDKBackgroundTasksChangedMessage: ignored(NO_BACKGROUND),
  SDKCommandsChangedMessage: ignored('There are no slash commands.'),
  SDKCompactBoundaryMessage: supported(),
  SDKControlRequestProgressMessage: ignored(NO_PROCESS),
  SDKConversationResetMessage: ignored('There is no command that clears a conversation.'),
  SDKElicitationCompleteMessage: ignored('MCP servers see a client without elicitation.'),
  SDKFilesPersistedEvent: ignored('No files are kept.'),
  SDKHookProgressMessage: ignored('`includeHookEvents` is refused.'),
  SDKHookResponseMessage: ignored('`includeHookEvents` is refused.'),
  SDKHookStartedMessage: ignored('`includeHookEvents` is refused.'),
  SDKInformationalMessage: ignored(NO_PROCESS),
  SDKLocalCommandOutputMessage: ignored('There are no slash commands.'),
  SDKMemoryRecallMessage: ignored('There are no memory files.'),
  SDKMirrorErrorMessage: ignored('Belongs to `sessionStore`, which is refused.'),
  SDKModelRefusalFallbackMessage: ignored('`fallbackModel` is refused.'),
  SDKModelRefusalNoFallbackMessage: ignored('A refusal is an `error_during_execution` result.'),
  SDKNotificationMessage: ignored(NO_DIALOGS),
  SDKPartialAssistantMessage: supported('With `includePartialMessages`.'),
  SDKPermissionDeniedMessage: ignored('Denials are in `permission_denials` of the result.'),
  SDKPluginInstallMessage: ignored('There are no plugins.'),
  SDKPromptSuggestionMessage: ignored('`promptSuggestions` is refused.'),
  SDKRateLimitEvent: ignored('A limit that is reached is an `error_during_execution` result.'),
  SDKResultMessage: supported(),
  SDKSessionStateChangedMessage: ignored('A turn runs from its prompt to its result.'),
  SDKSessionWritesLostMessage: ignored('A session that can’t be written ends the turn with an error.'),
  SDKStatusMessage: ignored('`compact_boundary` follows a compaction.'),
  SDKSystemMessage: supported(),
  SDKTaskNotificationMessage: ignored(NO_BACKGROUND),
  SDKTaskProgressMessage: ignored(NO_BACKGROUND),
  SDKTaskStartedMessage: ignored(NO_BACKGROUND),
  SDKTaskUpdatedMessage: ignored(NO_BACKGROUND),
  SDKThinkingTokensMessage: ignored('Thinking arrives in `stream_event` and `assistant` messages.'),
  SDKToolProgressMessage: ignored('A call is answered when it ends.'),
  SDKToolUseSummaryMessage: ignored('Results are not summarised.'),
  SDKUserMessage: supported('The results of calls. Prompts are not yielded again.'),
  SDKUserMessageReplay: ignored('Prompts are not yielded again.'),
  SDKWorkerShuttingDownMessage: ignored(NO_PROCESS),
};

const NEVER_HAPPENS = 'Never happens here.';

/** Events that hooks can be set for. */
export const HOOK_ROWS: ContractTable = {
  ConfigChange: refused(NEVER_HAPPENS),
  CwdChanged: refused(NEVER_HAPPENS),
  DirectoryAdded: refused(NEVER_HAPPENS),
  Elicitation: refused(NEVER_HAPPENS),
  ElicitationResult: refused(NEVER_HAPPENS),
  FileChanged: refused(NEVER_HAPPENS),
  InstructionsLoaded: refused(NEVER_HAPPENS),
  MessageDisplay: refused('Read the messages instead.'),
  Notification: supported('Only `permission_prompt`.'),
  PermissionDenied: refused('Read `permission_denials` in the result.'),
  PermissionRequest: supported('Without `updatedPermissions`.'),
  PostCompact: refused('Read the `compact_boundary` message.'),
  PostModelSwitch: refused('You call `setModel()` yourself.'),
  PostToolBatch: refused('Use `PostToolUse`.'),
  PostToolUse: supported(),
  PostToolUseFailure: supported(),
  PreCompact: supported("`decision: 'block'` keeps the conversation as it is."),
  PreModelSwitch: refused('You call `setModel()` yourself.'),
  PreToolUse: supported(),
  SessionEnd: supported('`reason` is `prompt_input_exit` or `other`.'),
  SessionStart: supported('`source` is `startup`, `resume` or `fork`; not called after a compaction.'),
  Setup: refused(NEVER_HAPPENS),
  Stop: supported("`decision: 'block'` makes the model continue, up to `maxTurns`."),
  StopFailure: refused('Read the `result` message.'),
  SubagentStart: supported('Its `additionalContext` is not used.'),
  SubagentStop: supported(),
  TaskCompleted: refused(NEVER_HAPPENS),
  TaskCreated: refused(NEVER_HAPPENS),
  TeammateIdle: refused(NEVER_HAPPENS),
  UserPromptExpansion: refused('There are no slash commands to expand.'),
  UserPromptSubmit: supported('A refused prompt ends in an `error_during_execution` result.'),
  WorktreeCreate: refused(NEVER_HAPPENS),
  WorktreeRemove: refused(NEVER_HAPPENS),
};

/** Fields of an agent's definition in `agents`. */
export const AGENT_FIELD_ROWS: ContractTable = {
  autoCompactWindow: refused("Compaction depends on the model's context window."),
  background: refused(NO_BACKGROUND),
  criticalSystemReminder_EXPERIMENTAL: refused('Put it into `prompt`.'),
  description: supported(),
  disallowedTools: supported(),
  effort: refused(THINKING),
  initialPrompt: refused('Put it into `prompt`.'),
  maxTurns: supported(),
  mcpServers: refused('Name servers of the query in `tools`, such as mcp__server.'),
  memory: refused('Put it into `prompt`.'),
  model: supported('A full name or `inherit`; aliases are refused.'),
  observer: refused(NO_BACKGROUND),
  observerMessage: refused(NO_BACKGROUND),
  omitClaudeMd: ignored('No CLAUDE.md is read.'),
  permissionMode: supported(),
  prompt: supported(),
  skills: refused('Put their text into `prompt`.'),
  tools: supported('Found by search within this scope.'),
};

/** Fields of an entry in `mcpServers`, of all its kinds. */
export const SERVER_FIELD_ROWS: ContractTable = {
  alwaysLoad: supported("`true` is `policy: 'never'`, `false` is `policy: 'always'`."),
  args: supported(),
  command: supported(),
  env: supported(),
  headers: supported(),
  instance: supported(),
  name: supported(),
  timeout: supported('The same as `callTimeoutMs`: progress extends it, and values below 1,000 count too.'),
  tools: refused('Use `allowedTools`, `disallowedTools` and `canUseTool`.'),
  type: supported(),
  url: supported(),
};

/** Options of `createSdkMcpServer()`. */
export const SDK_SERVER_ROWS: ContractTable = {
  alwaysLoad: supported(),
  instructions: refused('Put them into `systemPrompt`.'),
  name: supported(),
  timeout: supported(),
  tools: supported('See `tool()` for its options.'),
  version: supported(),
};
