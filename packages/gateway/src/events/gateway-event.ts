import type { ToolboxEvent } from '@quartermaster/core';
import type { Reach } from '@quartermaster/core/disclosure';
import type { SuspicionKind } from '@quartermaster/mcp';
import type { UsedUp } from '../access/index.ts';
import type { PlanCost, TokenAccount } from './token-account.ts';

/** What happens while a request is answered. Names, counts, sizes and times; query texts only where the settings ask for them. */
export type GatewayEvent =
  | ToolboxEvent
  | {
      /** How the tools of a request are sent, and why. */
      readonly kind: 'plan-decide';
      /** The id of the request. */
      readonly requestId: string;
      /** All definitions sent, tools deferred, or the request passed on unchanged. */
      readonly decision: 'inline' | 'defer' | 'pass';
      /** The reason, in a sentence. */
      readonly reason: string;
      /** The form, if tools are deferred. */
      readonly form?: string | undefined;
      /** What the definitions cost, and what is kept out. */
      readonly cost?: PlanCost | undefined;
      /** The named catalogs among its tools. */
      readonly catalogs?: readonly string[] | undefined;
      /** How many tools are deferred. */
      readonly deferred?: number | undefined;
    }
  | {
      /** The model is called. */
      readonly kind: 'model-round-start';
      /** The id of the request. */
      readonly requestId: string;
      /** The number of the round in this response. */
      readonly round: number;
      /** Tokens of the conversation; counted from the second round on. */
      readonly tokens: number;
      /** Tokens of definitions that are sent beside the conversation because it has found them; counted from the second round on. */
      readonly revealed: number;
      /** In the first round: tokens of tools that earlier responses loaded. */
      readonly carried: number;
      /** In the first round: tokens of tools that are offered before the model searches. */
      readonly offered: number;
      /** In the first round: whether the conversation has searched and called before. */
      readonly earlier?: Reach | undefined;
    }
  | {
      /** A configured MCP server connected, disconnected, or changed its tools. */
      readonly kind: 'server-change';
      /** The name in the settings. */
      readonly server: string;
      /** The new state. */
      readonly state: string;
      /** Why, if it is not connected. */
      readonly reason?: string | undefined;
      /** How many tools it lists. */
      readonly toolCount: number;
    }
  | {
      /** A server has changed a definition since it was accepted. */
      readonly kind: 'definition-change';
      /** The id of the tool. */
      readonly tool: string;
      /** The fields that changed. */
      readonly fields: readonly string[];
      /** Whether the tool is held back until the change is accepted. */
      readonly isHeld: boolean;
    }
  | {
      /** A definition has something suspicious in it. Reported once for each tool and kind. */
      readonly kind: 'definition-finding';
      /** The id of the tool. */
      readonly tool: string;
      /** What is suspicious about it. */
      readonly finding: SuspicionKind;
      /** Its place in the definition. */
      readonly at: string;
      /** Whether the tool is left out because of it. */
      readonly isWithheld: boolean;
    }
  | {
      /** A server lists more tools than the limits allow. The rest can't be found or called. */
      readonly kind: 'listing-cut';
      /** The name in the settings. */
      readonly server: string;
      /** Which limit was reached, in a sentence. */
      readonly reason: string;
    }
  | {
      /** A search was answered without the reranker (`search`), or its vectors could not be stored (`store`). */
      readonly kind: 'reranker-fallback';
      /** What happened without the reranker, or without the store. */
      readonly of: 'search' | 'store';
      /** Why, in a sentence. */
      readonly reason?: string | undefined;
    }
  | {
      /** Texts were sent to the reranker's model. */
      readonly kind: 'reranker-call';
      /** How many texts. */
      readonly texts: number;
    }
  | {
      /** A tool of a configured MCP server was called through `/mcp`, or one of a server that a request names. */
      readonly kind: 'server-call-end';
      /** The name in the settings, or the pattern that allows the address. */
      readonly server: string;
      /** Whether the server is in the settings. */
      readonly isConfigured: boolean;
      /** The id of the key. */
      readonly owner: string;
      /** The name that models use. */
      readonly tool?: string | undefined;
      /** The id of the tool, if the server is in the settings. */
      readonly id?: string | undefined;
      /** The id of the request. */
      readonly requestId?: string | undefined;
      /** Whether the call failed. */
      readonly isError: boolean;
      /** How long the call took. */
      readonly durationMs: number;
    }
  | {
      /** A batch item has its result. */
      readonly kind: 'batch-item-end';
      /** `succeeded`, `errored` or `canceled`. */
      readonly outcome: string;
    }
  | {
      /** Any request was answered. */
      readonly kind: 'request-end';
      /** The id of the request. */
      readonly requestId: string;
      /** The name of the route, as in the metrics. */
      readonly route: string;
      /** The HTTP status. */
      readonly status: number;
      /** How long the response took. */
      readonly durationMs: number;
      /** The id of the key, `''` without keys. */
      readonly owner: string;
      /** The usage of the model's response; missing for all other requests. */
      readonly used?: UsedUp | undefined;
      /** For requests to models, and for others that searched or called something. */
      readonly record?: RequestRecord | undefined;
    };

/** The event of one kind. */
export type EventOf<Kind extends GatewayEvent['kind']> = Extract<GatewayEvent, { readonly kind: Kind }>;

/** Passes each event to the function of its kind, if there is one. */
export function byKind<Result>(
  functions: {
    readonly [Kind in GatewayEvent['kind']]?: (event: EventOf<Kind>) => Result;
  },
): (event: GatewayEvent) => Result | undefined {
  return (event) => (functions[event.kind] as ((event: GatewayEvent) => Result) | undefined)?.(event);
}

/** One search of a request. `queries` and `reasons` only where the settings say `insight: queries`. */
export interface SearchRecord
  extends Pick<
    EventOf<'tool-search-end'>,
    | ('outcome' | 'engine' | 'reranker' | 'confidence' | 'queryCount' | 'queries')
    | ('found' | 'tools' | 'scores' | 'reasons' | 'answerTokens')
  > {
  readonly tookMs: number;
}

/** What a part of a request's time was used for. */
export interface RequestStep {
  /** The model wrote, a search ran, or a tool of an MCP server was called. */
  readonly kind: 'model' | 'search' | 'call';
  /** Milliseconds since the request began. */
  readonly fromMs: number;
  readonly tookMs: number;
  /** The tool that was called. */
  readonly tool?: string | undefined;
  readonly isError?: boolean | undefined;
}

/** Everything that is known about an answered request. */
export interface RequestRecord {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** The id of the key, `''` without keys. */
  readonly owner: string;
  /** The key's name. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  /** The type of the error that the client got, such as `rate_limit_error`. */
  readonly error?: string | undefined;
  /** The named catalogs among its tools. */
  readonly catalogs?: readonly string[] | undefined;
  readonly decision?: EventOf<'plan-decide'>['decision'] | undefined;
  readonly reason?: string | undefined;
  readonly form?: string | undefined;
  readonly rounds: number;
  readonly searches: readonly SearchRecord[];
  readonly loaded: readonly LoadedTool[];
  /** Tools of the response's calls: by id, or by the model's name if that is all that is known. */
  readonly called: readonly string[];
  readonly refused: readonly { readonly tool?: string | undefined; readonly reason: string }[];
  /** In the order in which they began. */
  readonly steps: readonly RequestStep[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** With deferred tools: whether the conversation has searched so far, called a tool without searching, or done neither. */
  readonly reach?: 'searched' | 'called' | 'neither' | undefined;
  /** Absent where no tool was deferred. */
  readonly tokens?: TokenAccount | undefined;
  /** Absent where the record is complete. */
  readonly omitted?: OmittedParts | undefined;
}

/** A request in progress: what is known about it so far. `rounds` is how many times a model was called. */
export interface RunningRequest
  extends Pick<
    RequestRecord,
    ('id' | 'atMs' | 'route' | 'owner' | 'key' | 'model' | 'upstream') | ('catalogs' | 'decision' | 'form' | 'rounds')
  > {
  /** `waiting`: for the model, or while it is planned. `calling`: a tool of an MCP server. `streaming`: the client receives the answer. */
  readonly state: 'waiting' | 'searching' | 'calling' | 'streaming';
  /** How many searches were answered so far. */
  readonly searches: number;
  /** The start of the latest query. Only where the settings say `insight: queries`. */
  readonly query?: string | undefined;
}

/** The requests in progress in this process. */
export interface RunningRequests {
  /** The gateway's clock: `nowMs - atMs` is how long a request has taken so far. */
  readonly nowMs: number;
  readonly total: number;
  /** At most 100, the longest-running first. */
  readonly data: readonly RunningRequest[];
}

/** The lists of a record. */
export type RecordLists = 'catalogs' | 'searches' | 'loaded' | 'called' | 'refused' | 'steps';

/** What a record leaves out, because it would have become too large: how many entries of each list. */
export interface OmittedParts extends Readonly<Record<RecordLists, number>> {
  /** The length of the texts of searches that are listed without them. */
  readonly characters: number;
}

/** A definition that a request handed to the model. */
export type LoadedTool = Pick<EventOf<'tool-load'>, 'tool' | 'name' | 'by' | 'tokens'>;
