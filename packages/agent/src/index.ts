export { AbortError } from './abort-error.ts';
export type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  HooksByEvent,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreToolUseHookInput,
} from './hooks/index.ts';
export {
  type AgentForm,
  type AgentUpstream,
  type BuiltUpstream,
  rehearsal,
  type UpstreamChoice,
} from './model/index.ts';
export { OPTION_DEFAULTS, type Options } from './options.ts';
export type { CanUseTool, CanUseToolOptions, PermissionMode, PermissionResult } from './permissions/index.ts';
export { type Query, type QueryParameters, query } from './query.ts';
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
  type SdkMcpServerOptions,
  type SdkMcpToolDefinition,
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
