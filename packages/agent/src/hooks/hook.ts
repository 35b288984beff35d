import type { JsonObject } from '@quartermaster/core/catalog';
import type { PermissionMode } from '../permissions/index.ts';

/** The moments at which hooks are called. Those about tools see the real tool, however the model called it. */
export type HookEvent = HookInput['hook_event_name'];

export const HOOK_EVENTS: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
];

/** Hooks by event, for `options.hooks`. */
export type HooksByEvent = { readonly [Event in HookEvent]?: readonly HookCallbackMatcher[] };

/** Hooks for the tools whose names match. */
export interface HookCallbackMatcher {
  /**
   * Which tools: a name, names with `|` between them (letters, digits, `_` and `-`), or else a regular expression that is found
   * anywhere in the name. For other events, in place of the tool's name: `source` of SessionStart, `reason` of SessionEnd, `trigger` of
   * PreCompact, `notification_type`, and `agent_type` of subagents. @default all
   */
  readonly matcher?: string;
  readonly hooks: readonly HookCallback[];
  /** How long each may take, in seconds. @default 60 */
  readonly timeout?: number;
}

/** A hook. What it returns decides what happens next. */
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

/** Input that every hook gets. */
export interface BaseHookInput {
  readonly session_id: string;
  /** The session's file, or empty if it is not kept in a file. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: PermissionMode;
  /** Only where a subagent calls the tool. */
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
  /** What the tool gave back, untouched. */
  readonly tool_response: unknown;
}

/** A tool has failed. */
export interface PostToolUseFailureHookInput extends ToolHookInput {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly error: string;
}

/** Neither rules nor the mode decide about a call: called before `canUseTool`, and may answer in its place. */
export interface PermissionRequestHookInput extends ToolHookInput {
  readonly hook_event_name: 'PermissionRequest';
}

/** `canUseTool` is about to be asked. */
export interface NotificationHookInput extends BaseHookInput {
  readonly hook_event_name: 'Notification';
  readonly message: string;
  readonly notification_type: 'permission_prompt';
}

/** Before a prompt joins the conversation. May refuse it, or add to it. */
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
  /** Whether a hook has already made it continue. */
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
  /** Always empty: the conversations of subagents are not kept. */
  readonly agent_transcript_path: string;
  readonly last_assistant_message: string;
}

/** Before a conversation that outgrows the window is summed up. */
export interface PreCompactHookInput extends BaseHookInput {
  readonly hook_event_name: 'PreCompact';
  readonly trigger: 'auto';
  readonly custom_instructions: null;
}

/** What a hook may answer. Nothing at all, or an empty object, lets everything be. */
export interface HookJSONOutput {
  /** `false` ends the turn after this call, or before the prompt. @default true */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** The older way to deny or allow before a call; after one, and at the end, `block` passes the reason to the model. */
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: HookEvent;
    /** Before a call. */
    readonly permissionDecision?: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
    /** Before a call: other arguments, which are checked again. */
    readonly updatedInput?: Record<string, unknown>;
    /** Added for the model, next to the result or the prompt. */
    readonly additionalContext?: string;
    /** After a call: what the model gets in place of the result. */
    readonly updatedMCPToolOutput?: unknown;
    /** Of PermissionRequest. */
    readonly decision?:
      | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
      | { readonly behavior: 'deny'; readonly message?: string; readonly interrupt?: boolean };
  };
}

/** What a matcher of this event looks at. */
export function matchedBy(input: HookInput): string | undefined {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest':
      return input.tool_name;
    case 'Notification':
      return input.notification_type;
    case 'SessionStart':
      return input.source;
    case 'SessionEnd':
      return input.reason;
    case 'SubagentStart':
    case 'SubagentStop':
      return input.agent_type;
    case 'PreCompact':
      return input.trigger;
    case 'UserPromptSubmit':
    case 'Stop':
      return undefined;
  }
}
