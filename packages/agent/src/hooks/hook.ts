import type { JsonObject } from '@quartermaster/core/catalog';
import type { PermissionMode } from '../permissions/index.ts';

/** The moments at which hooks are called. Hooks about tools see the real tool, however the model called it. */
export type HookEvent = HookInput['hook_event_name'];

/** The field that the matcher of each event is compared with. */
const MATCHED: { readonly [Event in HookEvent]: keyof Extract<HookInput, { hook_event_name: Event }> | undefined } = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionRequest: 'tool_name',
  Notification: 'notification_type',
  UserPromptSubmit: undefined,
  SessionStart: 'source',
  SessionEnd: 'reason',
  Stop: undefined,
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
};

export const HOOK_EVENTS: readonly HookEvent[] = Object.keys(MATCHED) as HookEvent[];

/** Hooks by event, for `options.hooks`. */
export type HooksByEvent = { readonly [Event in HookEvent]?: readonly HookCallbackMatcher[] };

/** Hooks for the tools whose names match. */
export interface HookCallbackMatcher {
  /**
   * Which tools: a name, names separated by `|` (letters, digits, `_` and `-`), or otherwise a regular expression that may match
   * anywhere in the name. Other events match something else: `source` of SessionStart, `reason` of SessionEnd, `trigger` of
   * PreCompact, `notification_type`, and `agent_type` of subagents. @default all
   */
  readonly matcher?: string;
  readonly hooks: readonly HookCallback[];
  /** Time limit of each hook, in seconds. @default 60 */
  readonly timeout?: number;
}

/** A hook. Its return value decides what happens next. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookJSONOutput> | HookJSONOutput;

/** The input of each hook event. */
export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PermissionRequestHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | StopHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput;

/** Fields that every hook receives. */
export interface BaseHookInput {
  readonly session_id: string;
  /** The session's file; empty if it is not stored in a file. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: PermissionMode;
  /** Set if a subagent calls the tool. */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

interface ToolHookInput extends BaseHookInput {
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  readonly tool_use_id: string;
}

/** A tool is about to run. */
export interface PreToolUseHookInput extends ToolHookInput {
  readonly hook_event_name: 'PreToolUse';
}

/** A tool has run. */
export interface PostToolUseHookInput extends ToolHookInput {
  readonly hook_event_name: 'PostToolUse';
  /** The tool's result, unchanged. */
  readonly tool_response: unknown;
}

/** A tool has failed. */
export interface PostToolUseFailureHookInput extends ToolHookInput {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly error: string;
}

/** Neither the rules nor the mode decide about a call. Called before `canUseTool`, and can answer in its place. */
export interface PermissionRequestHookInput extends ToolHookInput {
  readonly hook_event_name: 'PermissionRequest';
}

/** `canUseTool` is about to be asked. */
export interface NotificationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Notification';
  readonly message: string;
  readonly notification_type: 'permission_prompt';
}

/** Before a prompt is added to the conversation. Can reject or extend it. */
export interface UserPromptSubmitHookInput extends BaseHookInput {
  readonly hook_event_name: 'UserPromptSubmit';
  readonly prompt: string;
}

/** The session has begun. */
export interface SessionStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionStart';
  readonly source: 'startup' | 'resume' | 'fork';
  readonly model: string;
}

/** The session has ended. */
export interface SessionEndHookInput extends BaseHookInput {
  readonly hook_event_name: 'SessionEnd';
  readonly reason: 'prompt_input_exit' | 'other';
}

/** The model is done. `decision: 'block'` makes it continue with the reason. */
export interface StopHookInput extends BaseHookInput {
  readonly hook_event_name: 'Stop';
  /** Whether a hook has already made the model continue. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message: string;
}

/** A subagent begins its task. */
export interface SubagentStartHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStart';
  readonly agent_id: string;
  readonly agent_type: string;
}

/** A subagent is done. `decision: 'block'` makes it continue with the reason. */
export interface SubagentStopHookInput extends BaseHookInput {
  readonly hook_event_name: 'SubagentStop';
  readonly stop_hook_active: boolean;
  readonly agent_id: string;
  readonly agent_type: string;
  /** Always empty: the conversations of subagents are not stored. */
  readonly agent_transcript_path: string;
  readonly last_assistant_message: string;
}

/** Before a conversation that has outgrown the window is summarized. */
export interface PreCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreCompact';
  readonly trigger: 'auto';
  readonly custom_instructions: null;
}

/** What a hook may return. Nothing, or an empty object, changes nothing. */
export interface HookJSONOutput {
  /** `false` ends the turn after this call, or before the prompt. @default true */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** The older way to deny or allow before a call. After a call, and at the end, `block` passes the reason to the model. */
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: HookEvent;
    /** Before a call. */
    readonly permissionDecision?: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
    /** Before a call: replaces the arguments, which are checked again. */
    readonly updatedInput?: Record<string, unknown>;
    /** Text for the model, added to the result or the prompt. */
    readonly additionalContext?: string;
    /** After a call: replaces the result that the model gets. */
    readonly updatedMCPToolOutput?: unknown;
    /** For PermissionRequest. */
    readonly decision?:
      | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
      | { readonly behavior: 'deny'; readonly message?: string; readonly interrupt?: boolean };
  };
}

/** What the matcher of this event is compared with. */
export function matchedBy(input: HookInput): string | undefined {
  const field = MATCHED[input.hook_event_name];
  return field === undefined ? undefined : (input as unknown as Readonly<Record<string, string>>)[field];
}
