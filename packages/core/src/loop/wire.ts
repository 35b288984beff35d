import type { Tool } from '../catalog/index.ts';
import type { Memory, Plan, Tell, View } from '../disclosure/index.ts';
import type { Call, Step } from '../dispatch/index.ts';
import type { HiddenContent, WireTranscript } from './transcript.ts';

/**
 * One protocol's codec. A wire always speaks the client's dialect: it reads the client's request, renders a plain request
 * of the same dialect, reads that dialect's stream and writes it. It decides nothing about tool search.
 *
 * `Request` is a request body. `Part` is one element of a stream (an SSE event's data, a chunk). Neither is ever changed in
 * place; fields and blocks that a wire does not know survive.
 */
export interface Wire<Request, Part> {
  /** `anthropic`, `openai-chat`, …, for messages and events. */
  readonly dialect: string;
  /** The names that the protocol itself gives to search tools. @default none */
  readonly searchNames?: readonly string[];
  /** What the request says that other stages need. Throws a `QuartermasterError` if it can't be served. */
  open(request: Request): Opened;
  /** What the messages have revealed: facts folded with `remember`, and nothing else. */
  recall(request: Request, plan: Plan): Memory;
  /**
   * The plain request that is sent upstream. An `inline` plan returns the request unchanged. Searches in the history become
   * an ordinary call and an answer made by `tell`; halves of a pair are dropped; names that are no longer in the catalog
   * are left out if a reference would dangle.
   */
  render(request: Request, view: View, tell: Tell): Request;
  /**
   * Reads one round of the upstream's stream. `holds` says which calls are held back from the client; the plan is for dialects
   * whose parts don't name our tools.
   */
  reader(holds: (name: string) => boolean, plan: Plan): Reader<Part>;
  /** Writes one response to the client, over all rounds. */
  writer(request: Request, plan: Plan, client?: WriterClient<Request>): Writer<Request, Part>;
  /** A part that keeps the connection alive and has no meaning. */
  ping?(): Part;
  /**
   * Searches that the last response showed without an answer: a host writes them next to calls for the client, and answers
   * them once it has the client's results. Absent if the dialect has no such searches.
   */
  pending?(request: Request, plan: Plan): readonly Call[];
  /** How hidden parts of a response are stored and restored. Absent if clients see, and send back, everything. */
  readonly transcript?: WireTranscript<Request>;
}

/** What a writer knows about the client besides the request. */
export interface WriterClient<Request> {
  /** Ids that the client's messages have, besides those of the request. */
  readonly taken?: readonly string[];
  /** The request as the client sent it, if references in the other one were resolved. */
  readonly asked?: Request;
  /** Whether later requests may refer to the response by its id alone: one that the host may give again is replaced. @default false */
  readonly storesResponses?: boolean;
}

/** What a request says besides its messages. */
export interface Opened {
  /** The tools that it declares, without ours and search tools, in order. */
  readonly tools: readonly Tool[];
  readonly model?: string;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  /** How the client wants to search, if it says so. */
  readonly search?: OpenedSearch;
  /** The latest user message with text: what a prefetch searches for. */
  readonly userText?: string;
}

/** How a client wants to search. */
export type OpenedSearch =
  /** A search tool that the provider would run: `tool_search_tool_regex_20251119`. We run it under the same name. */
  | {
      readonly kind: 'hosted';
      readonly engine: 'regex' | 'bm25' | 'any';
      readonly name: string;
      /** A second one with the other engine, if the client declares both. */
      readonly also?: { readonly engine: 'regex' | 'bm25'; readonly name: string };
    }
  /** The client itself searches, and puts references into its messages. */
  | { readonly kind: 'client'; readonly name?: string };

/**
 * Reads the parts of one round. A held call's parts never reach the client unchanged. Forwarded parts and held calls come in the
 * order in which the model wrote them: what follows a held call that is still arriving waits for it (`orderedReads`).
 */
export interface Reader<Part> {
  read(part: Part): readonly Read<Part>[];
  /** The upstream's stream has ended: returns what was still held. */
  end(): readonly Read<Part>[];
}

/** What a part of the upstream's stream means to the loop. */
export type Read<Part> =
  /** Goes to the client, through the writer. */
  | { readonly kind: 'forward'; readonly part: Part }
  /** The forwarded parts contain, now or later, a call to a real tool: the client will have to answer it, so the turn ends with this round. */
  | { readonly kind: 'passed'; readonly name: string }
  /** A held call, complete. Its arguments are raw text if they are not JSON although nothing was cut off. */
  | { readonly kind: 'held'; readonly call: Call }
  /** A held call that the upstream cut (token limit): dropped, and the turn ends. */
  | { readonly kind: 'cut'; readonly name: string }
  /** Closes the round (finish reason, usage). Held back, because another round may follow; the writer merges reasons and usage. */
  | { readonly kind: 'close'; readonly part: Part };

/** Writes one response over all rounds: one start, one end, consecutive indexes, unique ids, summed usage. */
export interface Writer<Request, Part> {
  /** An upstream part for the client: renumbered, with a unique id. The first one opens the response. */
  forward(part: Part): readonly Part[];
  /** Takes a closing part of the round. */
  close(part: Part): void;
  /** A held call at its position, before its outcome is known: the visible half of a search if the dialect has one, otherwise nothing. */
  hold(call: Call): readonly Part[];
  /**
   * The outcome of a held call, still at its position: calls to real tools for the client to execute, or the visible half of a call
   * that was answered and that `hold` has not shown. Called right after `hold`: nothing is forwarded in between.
   */
  deliver(step: Step): readonly Part[];
  /**
   * Whether `hold` shows the client this call, and `answer` its result, so that what follows it need not wait for its outcome.
   * @default no call is shown
   */
  shows?(call: Call): boolean;
  /**
   * The end of a round that held calls, with all steps in the order of their calls: the results of those that were answered. After
   * every call of the round, so that a replay can distinguish parallel from sequential calls. Every search that `hold` has begun is
   * completed here, a failed one with the dialect's error: its step has a `found` too. What the dialect can't show (a refusal, a
   * description) is left out, but kept for `extend` and `hidden`.
   */
  answer(steps: readonly Step[]): readonly Part[];
  /**
   * The request after this round: everything the client was sent, and the rounds that it did not see. A `tool_choice` that
   * forced the search is relaxed here.
   */
  extend(): Request;
  /** The request with the answers to `pending` searches, which also begin the response. Called before anything else. */
  resume?(steps: readonly Step[]): Request;
  /** Ends the response. `calls`: real calls wait for the client. `pause`: the round limit was reached. `done`: the upstream's own reason counts. */
  finish(ending: Ending): readonly Part[];
  /**
   * What this response contained and its client did not see, for the transcript. Called once, before `finish`; undefined if a replay
   * of the client's messages makes the same history.
   */
  hidden?(ending: Ending): HiddenContent | undefined;
}

/** How a response ends. */
export type Ending = 'done' | 'calls' | 'pause';

/** Where rendered requests are sent. Knows nothing about tool search. */
export type Upstream<Request, Part> = (request: Request, signal: AbortSignal) => AsyncIterable<Part>;

/** A dialect's whole responses: not streaming is the same loop, over a message split into parts and joined again. */
export interface Whole<Response, Part> {
  /** The parts of an equivalent stream. */
  toParts(response: Response): readonly Part[];
  /** The response that these parts make, as a client's stream reader would join them. */
  fromParts(parts: readonly Part[]): Response;
}
