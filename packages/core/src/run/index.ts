export type { AssistantMessage, Message, MessageCall, SystemMessage, ToolMessage, UserMessage } from './message.ts';
export type {
  Model,
  ModelCall,
  ModelEndpoint,
  ModelFunction,
  ModelPart,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from './model.ts';
export {
  RUN_TOOLS_DEFAULTS,
  type RunToolsEvent,
  type RunToolsOptions,
  type RunToolsResult,
  runTools,
} from './run-tools.ts';
export type { RunnableTool, ToolSettings, ToolsForRun } from './toolbox-for.ts';
