import type { Toolbox } from '@quartermaster/core';
import type { Caller } from '@quartermaster/core/dispatch';
import type { TranscriptStore } from '@quartermaster/core/loop';
import type { BaseHookInput, RunHooks } from '../hooks/index.ts';
import type { ResolvedModel } from '../model/index.ts';
import type { Conversation } from '../session/index.ts';
import type { Ledger } from './ledger.ts';
import type { Planner } from './planner.ts';
import type { SideChannel } from './side-channel.ts';
import type { StructuredOutput } from './structured-output.ts';
import type { ToolGuard } from './tool-guard.ts';

/** What all turns of a query share. */
export interface TurnContext {
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  /** Refused calls, which have no place in the conversation's messages. */
  readonly transcript: TranscriptStore;
  readonly planner: Planner;
  readonly guard: ToolGuard;
  /** The chosen model. The same object until another one is chosen. */
  readonly model: () => Promise<ResolvedModel>;
  readonly system: string | undefined;
  /** Responses per turn. */
  readonly maxTurns: number;
  /** Tokens per response. @default a quarter of the window, at most 8,192 */
  readonly maxOutputTokens: number | undefined;
  /** Tokens per tool result. */
  readonly maxResultTokens: number;
  readonly includesPartial: boolean;
  readonly ledger: Ledger;
  /** The format of results, if one was requested. */
  readonly output: StructuredOutput | undefined;
  readonly runHooks: RunHooks;
  /** Fields that every hook receives. */
  readonly about: () => BaseHookInput;
  /** The call that a subagent works on; null for the query itself. */
  readonly parentToolUseId: string | null;
  /** The subagent for its own hooks. Undefined for the query itself. */
  readonly agent?: { readonly agent_id: string; readonly agent_type: string };
  readonly side: SideChannel;
  /** Called with the id of each message that files can be restored to. */
  readonly mark: (messageId: string) => void;
  /** Waits for servers that are still starting. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly createId: () => string;
}
