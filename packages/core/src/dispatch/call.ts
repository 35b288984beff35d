import type { JsonObject, Tool } from '../catalog/index.ts';
import type { Found } from '../disclosure/index.ts';

/** A tool call as the model wrote it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, or the raw text if it is not JSON. */
  readonly arguments: unknown;
}

/** A call to a real tool: unwrapped, in scope, repaired and checked. */
export interface Resolved {
  /** The id of the call that it came from; further ones of the same `tool_call` get `_2`, `_3` and so on. */
  readonly id: string;
  readonly tool: Tool;
  /** The name that the model sees. */
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What a call leads to. */
export type Step =
  | {
      readonly kind: 'answer';
      readonly call: Call;
      /** Absent for a refusal, which leaves nothing to remember. */
      readonly found?: Found;
      readonly text: string;
      /** What an executed tool returned, untouched, for wires that carry more than text. */
      readonly value?: unknown;
      readonly isError?: boolean;
    }
  | {
      readonly kind: 'calls';
      readonly call: Call;
      /** At least one. All are good to execute: when one of several is not, the step is an answer and none is run. */
      readonly calls: readonly Resolved[];
    };

/** Who is asking. */
export interface Caller {
  /** For events: who, never what secret. */
  readonly id?: string;
  /** The request that the caller makes, for events: what happened in it can then be put together. */
  readonly requestId?: string;
  /**
   * What this caller may see and use. A tool outside is answered exactly like one that does not exist. Plans are cached
   * by this function's identity: keep it.
   */
  readonly allow?: (tool: Tool) => boolean;
  /**
   * Asked before each search. A `QuartermasterError` that it throws refuses the search, and the model reads its code and message:
   * `too_many_requests` for a caller that searches too often. @default every search is run
   */
  readonly admitSearch?: (queries: readonly string[]) => void | PromiseLike<void>;
}

/** What a tool gave back. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string;
  /** What the tool returned, untouched, for surfaces that carry more than text (images, structured content). */
  readonly value?: unknown;
  readonly isError: boolean;
}
