import type { Caller, Toolbox, TranscriptStore } from '@quartermaster/core';
import type { ResolvedModel } from '../model/index.ts';
import type { Usage } from '../sdk-message.ts';
import type { Conversation } from '../session/index.ts';
import type { Planner } from './planner.ts';
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
  readonly costOf: (usage: Usage, model: string) => number;
  readonly now: () => number;
  readonly createId: () => string;
}
