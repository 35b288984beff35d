import type { Toolbox } from '@quartermaster/core';
import type { Caller } from '@quartermaster/core/dispatch';
import type { TranscriptStore } from '@quartermaster/core/loop';
import type { BaseHookInput, HookInput, RunHooks } from '../hooks/index.ts';
import type { ResolvedModel } from '../model/index.ts';
import type { Conversation } from '../session/index.ts';
import type { Ledger } from './ledger.ts';
import type { Planner } from './planner.ts';
import type { SideChannel } from './side-channel.ts';
import type { StructuredOutput } from './structured-output.ts';
import type { ToolGuard } from './tool-guard.ts';

/** What every turn of a query has in common. */
export interface TurnContext {
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  /** Refused calls, which have no place in the conversation's messages. */
  readonly transcript: TranscriptStore;
  readonly planner: Planner;
  readonly guard: ToolGuard;
  /** The model as it is chosen now. The same value until another one is chosen. */
  readonly model: () => Promise<ResolvedModel>;
  readonly system: string | undefined;
  /** Responses in one turn. */
  readonly maxTurns: number;
  /** In one response. @default a quarter of the window, at most 8,192 */
  readonly maxOutputTokens: number | undefined;
  /** In one tool's result. */
  readonly maxResultTokens: number;
  readonly includesPartial: boolean;
  readonly ledger: Ledger;
  /** The shape that results have to have, where one was asked for. */
  readonly output: StructuredOutput | undefined;
  readonly runHooks: RunHooks;
  /** Input that every hook gets. */
  readonly about: () => BaseHookInput;
  /** What hooks are told when the model is done. */
  readonly stopInput: (stopping: Stopping) => HookInput;
  /** The call that a subagent works for; null for the query itself. */
  readonly parentToolUseId: string | null;
  readonly side: SideChannel;
  /** Told the id of each message that files can be put back to. */
  readonly mark: (messageId: string) => void;
  /** Waits for servers that are still starting. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly createId: () => string;
}

export interface Stopping {
  readonly stop_hook_active: boolean;
  readonly last_assistant_message: string;
}
