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
  /** The id of its original call; further ones of the same `tool_call` get `_2`, `_3` and so on. */
  readonly id: string;
  readonly tool: Tool;
  /** The name that the model sees. */
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The outcome of a call. */
export type Step =
  | {
      readonly kind: 'answer';
      readonly call: Call;
      /** Absent for a refusal, which leaves nothing to remember. */
      readonly found?: Found;
      readonly text: string;
      /** What an executed tool returned, unchanged, for wires that carry more than text. */
      readonly value?: unknown;
      readonly isError?: boolean;
    }
  | {
      readonly kind: 'calls';
      readonly call: Call;
      /** At least one. All can be executed: if one of several can't, the step is an answer and none runs. */
      readonly calls: readonly Resolved[];
    };

/** Who makes a call. */
export interface Caller {
  /** For events: an identity, never a secret. */
  readonly id?: string;
  /** The caller's request, for events: so that everything that happens in it can be collected. */
  readonly requestId?: string;
  /**
   * What this caller may see and use. A tool outside is answered exactly like one that does not exist. Plans are cached
   * by this function's identity, so keep it.
   */
  readonly allow?: (tool: Tool) => boolean;
  /**
   * Called before each search. If it throws a `QuartermasterError`, the search is refused, and the model reads its code and message:
   * `too_many_requests` for a caller that searches too often. @default every search runs
   */
  readonly admitSearch?: (queries: readonly string[]) => void | PromiseLike<void>;
}

/** The result of a tool. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string;
  /** What the tool returned, unchanged, for surfaces that carry more than text (images, structured content). */
  readonly value?: unknown;
  readonly isError: boolean;
}
