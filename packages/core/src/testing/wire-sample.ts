import type { Tool } from '../catalog/index.ts';
import type { Form } from '../disclosure/index.ts';
import type { PlanOptions } from '../dispatch/index.ts';
import type { Whole, Wire } from '../loop/index.ts';

/**
 * What a dialect must bring for the suite that every wire runs. The samples are the dialect's own client and upstream, each
 * as plain as possible and independent of the wire's code: they are what the wire is held against.
 */
export interface WireSample<Request, Part> {
  readonly wire: Wire<Request, Part>;
  /** The forms that the dialect can carry, by the name to show. */
  readonly forms: Readonly<Record<string, Form>>;
  /** What else the wire asks of a plan, such as to do without `tool_describe`. */
  readonly planOptions?: Omit<PlanOptions, 'form'>;
  /** Whether the client is shown searches and replays them. Otherwise only calls survive from turn to turn. */
  readonly showsSearches: boolean;
  /** Whether it is shown refusals and descriptions too, so that its messages hold the whole conversation. @default false */
  readonly showsEverything?: boolean;
  /** How the turn ends for the client: what `received` gives as `ending` for each. */
  readonly endings: { readonly done: string; readonly calls: string; readonly pause: string; readonly cut: string };
  /** A client's first request: one user message, these tools declared, a field that no wire knows with `unknown` as its value. */
  request(ask: { readonly text: string; readonly tools: readonly Tool[]; readonly unknown: string }): Request;
  /** What an upstream streams for one round; `responseId` is what it calls the response, where that matters. */
  round(script: ScriptedRound, responseId?: string): readonly Part[];
  /** What a client reads from a response. */
  received(parts: readonly Part[]): Received;
  /** The client's next request: the response replayed, every call in it answered, then the text. */
  next(request: Request, parts: readonly Part[], reply: Reply): Request;
  /**
   * The same from a client that refers to the response by its id instead of replaying it. Absent where a dialect has no such
   * references.
   */
  refer?(request: Request, parts: readonly Part[], reply: Reply): Request;
  /** The conversation in a client's request, oldest first. */
  messages(request: Request): readonly unknown[];
  /** The same request with another conversation, made of such messages. */
  withMessages(request: Request, messages: readonly unknown[]): Request;
  /** What the model reads of a request as it goes upstream. */
  seen(request: Request): Seen;
  readonly whole?: Whole<unknown, Part>;
}

/** One round of an upstream, in order. */
export interface ScriptedRound {
  readonly items: readonly ScriptedItem[];
  /** `cut`: the token limit was met inside the last item. */
  readonly ending: 'done' | 'calls' | 'cut';
}

/** One thing that a scripted model says. */
export type ScriptedItem =
  | { readonly kind: 'text'; readonly text: string }
  /** `json` may be incomplete when the round is cut. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly json: string };

/** What a client reads from a response. */
export interface Received {
  readonly text: string;
  /** In the order in which they stand in the response. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  /** Texts and calls as they stand in the response, a call as `<name>`. Absent where the dialect keeps the two apart. */
  readonly order?: string;
  readonly ending: string;
  /** Parts that open and that close a response: one each. */
  readonly openings: number;
  readonly closings: number;
}

/** How a client continues. */
export interface Reply {
  /** The result of each call, by id. */
  readonly results: ReadonlyMap<string, string>;
  readonly text?: string;
}

/** What the model reads of a request. */
export interface Seen {
  /** Everything that the model reads before the first message, as text. A definition that is only marked for later is not read. */
  readonly prefix: string;
  /** Declared tools by name, marked ones too. */
  readonly tools: readonly string[];
  readonly messages: readonly SeenMessage[];
}

/** One message as the model reads it. */
export interface SeenMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'other';
  readonly text: string;
  /** Calls in an assistant's message, ids only. */
  readonly calls: readonly string[];
  /** Calls that this message answers. */
  readonly answers: readonly string[];
}
