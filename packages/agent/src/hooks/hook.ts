import type { JsonObject } from '@quartermaster/core';
import type { PermissionMode } from '../permissions/index.ts';

/** The moments at which hooks are called. Each sees the real tool, however the model called it. */
export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure';

export const HOOK_EVENTS: readonly HookEvent[] = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

export type HooksByEvent = { readonly [Event in HookEvent]?: readonly HookCallbackMatcher[] };

export interface HookCallbackMatcher {
  /**
   * Which tools: a name, names with `|` between them (letters, digits, `_` and `-`), or else a regular expression that is found
   * anywhere in the name. @default all tools
   */
  readonly matcher?: string;
  readonly hooks: readonly HookCallback[];
  /** How long each may take, in seconds. @default 60 */
  readonly timeout?: number;
}

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookJSONOutput> | HookJSONOutput;

export type HookInput = PreToolUseHookInput | PostToolUseHookInput | PostToolUseFailureHookInput;

interface HookInputBase {
  readonly session_id: string;
  /** Where the session is kept, or empty where it is not kept in a file. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: PermissionMode;
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  readonly tool_use_id: string;
}

export interface PreToolUseHookInput extends HookInputBase {
  readonly hook_event_name: 'PreToolUse';
}

export interface PostToolUseHookInput extends HookInputBase {
  readonly hook_event_name: 'PostToolUse';
  /** What the tool gave back, untouched. */
  readonly tool_response: unknown;
}

export interface PostToolUseFailureHookInput extends HookInputBase {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly error: string;
}

/** What a hook may answer. Nothing at all, or an empty object, lets everything be. */
export interface HookJSONOutput {
  /** `false` ends the turn after this call. @default true */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** The older way to deny or allow before a call; after one, `block` tells the model the reason. */
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: HookEvent;
    /** Before a call. */
    readonly permissionDecision?: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
    /** Before a call: other arguments, which are checked again. */
    readonly updatedInput?: Record<string, unknown>;
    /** Told to the model beside the result. */
    readonly additionalContext?: string;
    /** After a call: what the model gets in place of the result. */
    readonly updatedMCPToolOutput?: unknown;
  };
}
