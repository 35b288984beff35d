export { AbortError } from './abort-error.ts';
export type { RewindFilesResult } from './built-in/index.ts';
export type { ContextCategory, ContextTool, ContextUsage } from './context-usage.ts';
export type { SearchEngine } from './create-agent-searcher.ts';
export type { AgentDefinition, AgentDefinitions } from './create-subagents.ts';
export type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  HooksByEvent,
  NotificationHookInput,
  PermissionRequestHookInput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  UserPromptSubmitHookInput,
} from './hooks/index.ts';
export {
  type AgentForm,
  type AgentUpstream,
  type BuiltUpstream,
  type ModelInfo,
  rehearsal,
  type UpstreamChoice,
} from './model/index.ts';
export { OPTION_DEFAULTS, type Options } from './options.ts';
export type { CanUseTool, CanUseToolOptions, PermissionMode, PermissionResult } from './permissions/index.ts';
export { type AgentInfo, type Query, type QueryParameters, query } from './query.ts';
export type {
  ImageSource,
  ModelUsage,
  SDKAssistantContent,
  SDKAssistantMessage,
  SDKCompactBoundaryMessage,
  SDKContentBlock,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDenial,
  SDKResultBlock,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKSystemMessage,
  SDKUserBlock,
  SDKUserMessage,
  Usage,
} from './sdk-message.ts';
export {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type McpServerConfig,
  type McpServerStatus,
  type McpSetServersResult,
  type SdkMcpServerOptions,
  type SdkMcpToolDefinition,
  type SdkServerFields,
  type SignIn,
  type ToolExtra,
  tool,
} from './servers/index.ts';
export {
  COMPACTION_DEFAULTS,
  createDatabaseSessionStore,
  createFileSessionStore,
  createMemorySessionStore,
  type SessionRecord,
  type SessionStore,
} from './session/index.ts';
export type { ModelPrice, OutputFormat } from './turn/index.ts';
