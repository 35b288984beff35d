// Written from the gateway's OpenAPI document: npx vitest run packages/gateway/src/api -u

/** What a path has in its braces. */
type Path<Name extends string> = { readonly path: Readonly<Record<Name, string>> };

/** A route that answers with an object whose fields the document does not name. */
type OpenRoute<Input = object> = { readonly input: Input; readonly answer: Readonly<Record<string, unknown>> };

/** An answer that is a list. */
type List<Item> = { readonly data: readonly Item[] };

export type ErrorAnswer = {
  readonly error: {
    readonly type: string;
    readonly message: string;
  };
};

export type ToolFinding = {
  readonly kind: 'lint' | 'trust';
  readonly rule: string;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly suggestion?: string;
};

export type DefinitionChange = {
  readonly tool: string;
  readonly server: string;
  readonly hash: string;
  readonly held: boolean;
  readonly is_new: boolean;
  readonly fields: readonly ({
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  })[];
  readonly tokens: {
    readonly before: number | null;
    readonly after: number;
  };
  readonly findings: readonly ToolFinding[];
};

export type Server = {
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'ready' | 'down' | 'sign-in';
  readonly reason?: string;
  readonly retry_in_ms?: number;
  readonly tools: number;
  readonly tokens: number;
  readonly pins: number;
  readonly problems: readonly string[];
  readonly trust_findings: number;
  readonly changes: readonly DefinitionChange[];
  readonly protocol_version?: string;
  readonly stderr?: string;
};

export type CheckedServer = {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly is_off: boolean;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly is_known: boolean;
};

export type ToolFacts = {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly model_name: string;
  readonly description: string;
  readonly tokens: number;
  readonly policy: 'never' | 'automatic' | 'always';
  readonly calls: number;
  readonly findings: readonly ToolFinding[];
};

export type StoredPolicy = {
  readonly kind: 'server' | 'tool';
  readonly name: string;
  readonly policy: 'never' | 'automatic' | 'always';
};

export type KeyLimits = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly searchesPerMinute?: number;
  readonly tokensPerDay?: number;
  readonly tokensPerMonth?: number;
};

export type Key = {
  readonly id: string;
  readonly name: string;
  readonly source: 'store' | 'settings';
  readonly state: 'active' | 'expired' | 'revoked';
  readonly models: readonly string[];
  readonly catalogs: readonly string[];
  readonly limits: KeyLimits;
  readonly writes?: readonly string[];
  readonly role: 'consumer' | 'publisher' | 'admin';
  readonly endpoints?: readonly ('messages' | 'chat_completions' | 'responses' | 'count_tokens' | 'models' | 'host' | 'batches' | 'catalogs' | 'search' | 'mcp' | 'servers' | 'keys' | 'insight' | 'metrics')[];
  readonly tools?: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
  };
  readonly created_at?: string;
  readonly expires_at?: string;
  readonly last_used_at?: string;
  readonly revoked_at?: string;
  readonly used?: Readonly<Record<string, number>>;
};

export type Explanation = {
  readonly value: number;
  readonly what: string;
  readonly details: readonly Explanation[];
};

export type SearchHit = {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly description: string;
  readonly score: number;
  readonly model_name: string;
  readonly tokens: number;
  readonly explanation?: Explanation;
  readonly also?: readonly string[];
  readonly input_schema?: unknown;
  readonly annotations?: unknown;
};

export type Standing = {
  readonly tool: string;
  readonly standing: 'listed' | 'below-limit' | 'not-matched' | 'not-allowed' | 'not-in-catalog';
  readonly rank?: number;
  readonly reason?: string;
  readonly explanation?: Explanation;
};

export type RankedTool = {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly description: string;
  readonly score: number;
};

export type SearchAnswer = {
  readonly type: 'search_result';
  readonly engine: string;
  readonly took_ms: number;
  readonly catalog: {
    readonly tool_count?: number;
    readonly tokens?: number;
  };
  readonly results: readonly ({
    readonly query: string;
    readonly verdict: 'match' | 'no_match';
    readonly confidence?: number;
    readonly unresolved?: readonly string[];
    readonly hits: readonly SearchHit[];
  })[];
  readonly why?: Standing;
  readonly compared?: Readonly<Record<string, readonly RankedTool[]>>;
};

export type EvaluationCase = {
  readonly query: string;
  readonly tools: readonly string[];
};

export type Evaluation = {
  readonly type: 'evaluation';
  readonly engine: string;
  readonly hit_at: {
    readonly '1': number;
    readonly '3': number;
    readonly '5': number;
  };
  readonly cases: readonly ({
    readonly query: string;
    readonly tools: readonly string[];
    readonly rank: number | null;
    readonly first: string | null;
  })[];
};

export type Catalog = {
  readonly type: 'catalog';
  readonly name: string;
  readonly hash?: string;
  readonly tool_count: number;
  readonly updated_at?: string;
  readonly version?: number;
  readonly owner?: string;
  readonly read_only?: boolean;
  readonly error?: string;
  readonly findings?: readonly {
    readonly tool: string;
    readonly rule: string;
    readonly level: string;
    readonly message: string;
  }[];
};

export type SearchRecord = {
  readonly outcome: 'match' | 'none' | 'failure' | 'stopped';
  readonly engine?: string;
  readonly reranker?: string;
  readonly confidence?: number;
  readonly queryCount: number;
  readonly queries?: readonly string[];
  readonly found: readonly string[];
  readonly tools: readonly string[];
  readonly scores: readonly number[];
  readonly reasons?: readonly string[];
  readonly answerTokens: number;
  readonly tookMs: number;
};

export type TokenAccount = {
  readonly definitions: number;
  readonly keptOut: number;
  readonly ownTools: number;
  readonly carried: number;
  readonly answers: number;
  readonly repeated: number;
  readonly added: number;
  readonly net: number;
  readonly breakEven: number;
};

export type RequestRecord = {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  readonly owner: string;
  readonly key?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly catalogs?: readonly string[];
  readonly decision?: 'inline' | 'defer' | 'pass';
  readonly form?: string;
  readonly status: number;
  readonly durationMs: number;
  readonly error?: string;
  readonly reason?: string;
  readonly rounds: number;
  readonly searches: readonly SearchRecord[];
  readonly loaded: readonly {
    readonly tool: string;
    readonly name: string;
    readonly by: string;
    readonly tokens: number;
  }[];
  readonly called: readonly string[];
  readonly refused: readonly {
    readonly tool?: string;
    readonly reason: string;
  }[];
  readonly steps: readonly ({
    readonly kind: 'model' | 'search' | 'call';
    readonly fromMs: number;
    readonly tookMs: number;
    readonly tool?: string;
    readonly isError?: boolean;
  })[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reach?: 'searched' | 'called' | 'neither';
  readonly tokens?: TokenAccount;
  readonly omitted?: {
    readonly catalogs: number;
    readonly searches: number;
    readonly loaded: number;
    readonly called: number;
    readonly refused: number;
    readonly steps: number;
    readonly characters: number;
  };
};

export type RunningRequest = {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  readonly owner: string;
  readonly key?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly catalogs?: readonly string[];
  readonly decision?: 'inline' | 'defer' | 'pass';
  readonly form?: string;
  readonly state: 'waiting' | 'searching' | 'calling' | 'streaming';
  readonly rounds: number;
  readonly searches: number;
  readonly query?: string;
};

export type RunningRequests = {
  readonly nowMs: number;
  readonly total: number;
  readonly data: readonly RunningRequest[];
};

export type WireRound = {
  readonly atMs: number;
  readonly model: string;
  readonly upstream: string;
  readonly dialect: string;
  readonly request: string;
  readonly response: string;
  readonly isCut: boolean;
  readonly error?: string;
};

export type Totals = {
  readonly requests: number;
  readonly deferred: number;
  readonly searched: number;
  readonly called: number;
  readonly neither: number;
  readonly searches: number;
  readonly foundNothing: number;
  readonly found: number;
  readonly unused: number;
  readonly keptOut: number;
  readonly added: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly net: number;
  readonly breakEven?: number;
  readonly usd?: {
    readonly keptOut: number;
    readonly added: number;
    readonly net: number;
    readonly netCached: number;
  };
};

export type ModelReach = {
  readonly model: string;
  readonly form: string;
  readonly deferred: number;
  readonly searched: number;
  readonly called: number;
  readonly neither: number;
  readonly isPoor: boolean;
  readonly advice?: string;
};

export type UnansweredSearch = {
  readonly query: string;
  readonly catalogs: readonly string[];
  readonly times: number;
  readonly lastMs: number;
  readonly requestId: string;
  readonly nearest: readonly {
    readonly tool: string;
    readonly name: string;
    readonly score: number;
  }[];
};

export type StoredCase = {
  readonly query: string;
  readonly tools: readonly string[];
  readonly created_at: string;
  readonly created_by: string;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly actor_name?: string;
  readonly action: 'catalog.create' | 'catalog.replace' | 'catalog.delete' | 'catalog.owner' | 'case.put' | 'case.delete' | 'key.create' | 'key.update' | 'key.rotate' | 'key.revoke' | 'policy.change' | 'definition.accept' | 'learned.forget';
  readonly subject: string;
  readonly subject_name?: string;
  readonly detail: string;
};

/** Every route, by method and path. */
export interface Api {
  /** Anthropic Messages, with tool search. Streams if the request asks for it. */
  'POST /v1/messages': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** OpenAI Chat Completions, with tool search. Streams if the request asks for it. */
  'POST /v1/chat/completions': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** OpenAI Responses, with tool search. Streams if the request asks for it. */
  'POST /v1/responses': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** Counts the input tokens of an Anthropic Messages request. */
  'POST /v1/messages/count_tokens': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: {
      readonly input_tokens: number;
    };
  };
  /** The models that this key may use. */
  'GET /v1/models': {
    readonly input: {
      readonly query?: {
        readonly limit?: number;
        readonly after_id?: string;
        readonly before_id?: string;
      };
    };
    readonly answer: {
      readonly data: readonly Readonly<Record<string, unknown>>[];
      readonly has_more: boolean;
      readonly first_id: string | null;
      readonly last_id: string | null;
      readonly object: string;
    };
  };
  /** One model. */
  'GET /v1/models/{id}': {
    readonly input: Path<'id'>;
    readonly answer: unknown;
  };
  /** Passed through to the upstream, without tool search. */
  'POST /v1/responses/input_tokens': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/responses/compact': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/embeddings': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/moderations': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/completions': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/rerank': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/images/generations': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/images/edits': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/images/variations': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/audio/speech': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/audio/transcriptions': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/audio/translations': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/files': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/files': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/files/{id}': OpenRoute<Path<'id'>>;
  /** Passed through to the upstream, without tool search. */
  'DELETE /v1/files/{id}': OpenRoute<Path<'id'>>;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/files/{id}/content': OpenRoute<Path<'id'>>;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/uploads': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/uploads': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/uploads/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/uploads/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'DELETE /v1/uploads/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/vector_stores': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/vector_stores': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/vector_stores/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/vector_stores/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'DELETE /v1/vector_stores/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/batches': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/batches': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/batches/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/batches/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'DELETE /v1/batches/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/fine_tuning': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/fine_tuning': OpenRoute;
  /** Passed through to the upstream, without tool search. */
  'GET /v1/fine_tuning/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'POST /v1/fine_tuning/{rest}': OpenRoute<Path<'rest'>>;
  /** Passed through to the upstream, without tool search. */
  'DELETE /v1/fine_tuning/{rest}': OpenRoute<Path<'rest'>>;
  /** A stored response. */
  'GET /v1/responses/{id}': OpenRoute<Path<'id'>>;
  /** Deletes a stored response. */
  'DELETE /v1/responses/{id}': {
    readonly input: Path<'id'>;
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly deleted: boolean;
    };
  };
  /** The input of a stored response. */
  'GET /v1/responses/{id}/input_items': {
    readonly input: Path<'id'> & {
      readonly query?: {
        readonly order?: 'asc' | 'desc';
        readonly limit?: number;
        readonly after?: string;
      };
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** Creates a conversation that responses can continue. */
  'POST /v1/conversations': {
    readonly input: {
      readonly body: {
        readonly items?: readonly object[] | null;
        readonly metadata?: Readonly<Record<string, string>> | null;
      };
    };
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly created_at: number;
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  };
  /** A conversation. */
  'GET /v1/conversations/{id}': {
    readonly input: Path<'id'>;
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly created_at: number;
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  };
  /** Changes the metadata of a conversation. */
  'POST /v1/conversations/{id}': {
    readonly input: Path<'id'> & {
      readonly body: {
        readonly metadata: Readonly<Record<string, string>> | null;
      };
    };
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly created_at: number;
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  };
  /** Deletes a conversation. */
  'DELETE /v1/conversations/{id}': {
    readonly input: Path<'id'>;
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly deleted: boolean;
    };
  };
  /** The items of a conversation. */
  'GET /v1/conversations/{id}/items': {
    readonly input: Path<'id'> & {
      readonly query?: {
        readonly order?: 'asc' | 'desc';
        readonly limit?: number;
        readonly after?: string;
      };
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** Adds items to a conversation. */
  'POST /v1/conversations/{id}/items': {
    readonly input: Path<'id'> & {
      readonly body: {
        readonly items: readonly object[];
      };
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** One item of a conversation. */
  'GET /v1/conversations/{id}/items/{item}': OpenRoute<Path<'id' | 'item'>>;
  /** Deletes an item of a conversation. */
  'DELETE /v1/conversations/{id}/items/{item}': {
    readonly input: Path<'id' | 'item'>;
    readonly answer: {
      readonly id: string;
      readonly object: string;
      readonly created_at: number;
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  };
  /** The catalogs that this key may use. */
  'GET /v1/catalogs': {
    readonly input: object;
    readonly answer: List<Catalog>;
  };
  /** Creates or replaces a catalog. */
  'PUT /v1/catalogs/{name}': {
    readonly input: Path<'name'> & {
      readonly body: readonly object[] | {
        readonly tools: readonly object[];
      };
    };
    readonly answer: Catalog;
  };
  /** A catalog with its tools. */
  'GET /v1/catalogs/{name}': {
    readonly input: Path<'name'>;
    readonly answer: {
      readonly type: 'catalog';
      readonly name: string;
      readonly hash?: string;
      readonly tool_count: number;
      readonly updated_at?: string;
      readonly version?: number;
      readonly owner?: string;
      readonly read_only?: boolean;
      readonly error?: string;
      readonly findings?: readonly {
        readonly tool: string;
        readonly rule: string;
        readonly level: string;
        readonly message: string;
      }[];
      readonly tools: readonly unknown[];
    };
  };
  /** Makes another key the owner of a catalog. Requires an admin key without restrictions. */
  'PATCH /v1/catalogs/{name}': {
    readonly input: Path<'name'> & {
      readonly body: {
        readonly owner: string;
      };
    };
    readonly answer: Catalog;
  };
  /** Deletes a catalog. */
  'DELETE /v1/catalogs/{name}': {
    readonly input: Path<'name'>;
    readonly answer: {
      readonly type: 'catalog_deleted';
      readonly name: string;
    };
  };
  /** How often each tool of a catalog was called with this key. */
  'GET /v1/catalogs/{name}/usage': {
    readonly input: Path<'name'>;
    readonly answer: {
      readonly type: 'catalog_usage';
      readonly name: string;
      readonly tools: readonly {
        readonly tool: string;
        readonly calls: number;
      }[];
      readonly suggested_pins: readonly string[];
    };
  };
  /** When a catalog changed, and who changed it. */
  'GET /v1/catalogs/{name}/versions': {
    readonly input: Path<'name'>;
    readonly answer: List<{
      readonly version: number;
      readonly hash: string;
      readonly tool_count: number;
      readonly created_at: string;
      readonly created_by: string;
    }>;
  };
  /** Labelled requests of a catalog, for POST /v1/catalogs/{name}/evaluate. */
  'GET /v1/catalogs/{name}/cases': {
    readonly input: Path<'name'>;
    readonly answer: List<StoredCase>;
  };
  /** Adds a labelled request, or changes its tools. */
  'POST /v1/catalogs/{name}/cases': {
    readonly input: Path<'name'> & {
      readonly body: {
        readonly query: string;
        readonly tools: readonly string[];
      };
    };
    readonly answer: {
      readonly type: unknown;
      readonly query: string;
      readonly tools: readonly string[];
    };
  };
  /** Deletes a labelled request. */
  'DELETE /v1/catalogs/{name}/cases': {
    readonly input: Path<'name'> & {
      readonly query: {
        readonly query: string;
      };
    };
    readonly answer: {
      readonly type: unknown;
      readonly query: string;
    };
  };
  /** Adds search words to a tool. Creates a new version of the catalog. */
  'POST /v1/catalogs/{name}/hints': {
    readonly input: Path<'name'> & {
      readonly body: {
        readonly tool: string;
        readonly hint: string;
      };
    };
    readonly answer: Catalog;
  };
  /** Creates a message batch. */
  'POST /v1/messages/batches': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The batches of this key. */
  'GET /v1/messages/batches': {
    readonly input: {
      readonly query?: {
        readonly limit?: number;
        readonly after_id?: string;
        readonly before_id?: string;
      };
    };
    readonly answer: {
      readonly data: readonly Readonly<Record<string, unknown>>[];
      readonly has_more: boolean;
      readonly first_id: string | null;
      readonly last_id: string | null;
    };
  };
  /** One batch. */
  'GET /v1/messages/batches/{id}': OpenRoute<Path<'id'>>;
  /** Deletes a batch that has ended. */
  'DELETE /v1/messages/batches/{id}': {
    readonly input: Path<'id'>;
    readonly answer: {
      readonly id: string;
      readonly type: string;
    };
  };
  /** Cancels a batch. */
  'POST /v1/messages/batches/{id}/cancel': OpenRoute<Path<'id'>>;
  /** The results of a batch, one line per request. */
  'GET /v1/messages/batches/{id}/results': {
    readonly input: Path<'id'>;
    readonly answer: string;
  };
  /** All configured MCP servers as one server, over Streamable HTTP. */
  'POST /mcp': {
    readonly input: {
      readonly body: object;
    };
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** Opens a stream of messages from the MCP servers. */
  'GET /mcp': {
    readonly input: object;
    readonly answer: string;
  };
  /** Ends an MCP session. */
  'DELETE /mcp': {
    readonly input: object;
    readonly answer: unknown;
  };
  /** Searches a catalog without a model. */
  'POST /v1/catalogs/{name}/search': {
    readonly input: Path<'name'> & {
      readonly body: {
        readonly query?: string;
        readonly queries?: readonly string[];
        readonly engine?: 'auto' | 'hybrid' | 'hybrid+reranker' | 'bm25' | 'semantic' | 'regex';
        readonly limit?: number;
        readonly explain?: boolean;
        readonly schema?: boolean;
        readonly why?: string;
        readonly compare?: readonly ('auto' | 'hybrid' | 'hybrid+reranker' | 'bm25' | 'semantic' | 'regex')[];
        readonly drafts?: Readonly<Record<string, string>>;
      };
    };
    readonly answer: SearchAnswer;
  };
  /** How many labelled requests find their tool among the first one, three and five results. */
  'POST /v1/catalogs/{name}/evaluate': {
    readonly input: Path<'name'> & {
      readonly body: {
        readonly cases: readonly EvaluationCase[];
        readonly engine?: 'auto' | 'hybrid' | 'hybrid+reranker' | 'bm25' | 'semantic' | 'regex';
        readonly drafts?: Readonly<Record<string, string>>;
      };
    };
    readonly answer: Evaluation;
  };
  /** Searches the tools in the request. */
  'POST /v1/search': {
    readonly input: {
      readonly body: {
        readonly query?: string;
        readonly queries?: readonly string[];
        readonly engine?: 'auto' | 'hybrid' | 'hybrid+reranker' | 'bm25' | 'semantic' | 'regex';
        readonly limit?: number;
        readonly explain?: boolean;
        readonly schema?: boolean;
        readonly why?: string;
        readonly compare?: readonly ('auto' | 'hybrid' | 'hybrid+reranker' | 'bm25' | 'semantic' | 'regex')[];
        readonly drafts?: Readonly<Record<string, string>>;
        readonly tools: readonly object[];
      };
    };
    readonly answer: SearchAnswer;
  };
  /** The search engines that this gateway can run. */
  'GET /v1/search/engines': {
    readonly input: object;
    readonly answer: {
      readonly configured: string;
      readonly data: readonly {
        readonly id: string;
      }[];
    };
  };
  /** The configured MCP servers: state, reason, cost, changed definitions. */
  'GET /v1/servers': {
    readonly input: object;
    readonly answer: {
      readonly data: readonly Server[];
      readonly may_manage: boolean;
    };
  };
  /** Converts a client's mcpServers block into entries for the settings file. Starts and stores nothing. Requires an admin key without restrictions. */
  'POST /v1/servers/check': {
    readonly input: {
      readonly body: {
        readonly text: string;
      };
    };
    readonly answer: {
      readonly data: readonly CheckedServer[];
      readonly problem?: string;
      readonly line?: number;
    };
  };
  /** One MCP server. */
  'GET /v1/servers/{name}': {
    readonly input: Path<'name'>;
    readonly answer: Server;
  };
  /** Retries an unreachable server immediately. Requires an admin key that may use the server. */
  'POST /v1/servers/{name}/retry': {
    readonly input: Path<'name'>;
    readonly answer: Server;
  };
  /** Starts the OAuth sign-in of this key to an MCP server. */
  'POST /v1/servers/{name}/sign-in': {
    readonly input: Path<'name'>;
    readonly answer: {
      readonly url: string | null;
    };
  };
  /** Policies set at run time, for the servers and tools that this admin key may use. They override the policies in the settings. */
  'GET /v1/policies': {
    readonly input: object;
    readonly answer: List<StoredPolicy>;
  };
  /** Sets or removes policies of servers and tools. The policy `never` pins a tool: it is always sent in full. Requires an admin key that may use them. */
  'PATCH /v1/policies': {
    readonly input: {
      readonly body: {
        readonly changes: readonly ({
          readonly kind: 'server' | 'tool';
          readonly name: string;
          readonly policy: 'never' | 'automatic' | 'always' | null;
        })[];
      };
    };
    readonly answer: List<StoredPolicy>;
  };
  /** Changed definitions that have not been accepted yet. */
  'GET /v1/approvals': {
    readonly input: object;
    readonly answer: List<DefinitionChange>;
  };
  /** Accepts a changed definition. 409 if it has changed again. Requires an admin key that may use the tool. */
  'POST /v1/approvals': {
    readonly input: {
      readonly body: {
        readonly tool: string;
        readonly hash: string;
      };
    };
    readonly answer: {
      readonly type: 'definition_accepted';
      readonly tool: string;
      readonly hash: string;
    };
  };
  /** The tools of a catalog, each with its token cost, its number of calls, and what to review. */
  'GET /v1/catalogs/{name}/tools': {
    readonly input: Path<'name'>;
    readonly answer: {
      readonly name: string;
      readonly tokens: number;
      readonly deferred_tokens: number;
      readonly context_tokens: number;
      readonly suggested_pins: readonly string[];
      readonly data: readonly ToolFacts[];
    };
  };
  /** The MCP servers that this key can sign in to, and whether it is signed in. */
  'GET /v1/sign-ins': {
    readonly input: object;
    readonly answer: List<{
      readonly server: string;
      readonly signed_in: boolean;
    }>;
  };
  /** Starts the OAuth sign-in of this key to an MCP server, in the browser that sends the request. */
  'POST /v1/sign-ins': {
    readonly input: {
      readonly body: {
        readonly server: string;
      };
    };
    readonly answer: {
      readonly url: string;
    };
  };
  /** The page where users sign in to MCP servers; it asks for a key. */
  'GET /sign-in': {
    readonly input: object;
    readonly answer: string;
  };
  /** The script of the sign-in page. */
  'GET /sign-in/page.js': {
    readonly input: object;
    readonly answer: string;
  };
  /** The style sheet of the sign-in page. */
  'GET /sign-in/page.css': {
    readonly input: object;
    readonly answer: string;
  };
  /** The OAuth redirect URL. */
  'GET /sign-in/callback': {
    readonly input: object;
    readonly answer: string;
  };
  /** API keys with their permissions and limits, but not their secrets. An admin key without restrictions sees all keys, any other key only itself. */
  'GET /v1/keys': {
    readonly input: object;
    readonly answer: {
      readonly data: readonly Key[];
      readonly may_manage: boolean;
    };
  };
  /** Creates a key, and shows its secret once. Requires an admin key without restrictions. */
  'POST /v1/keys': {
    readonly input: {
      readonly body: {
        readonly name: string;
        readonly models?: readonly string[];
        readonly catalogs?: readonly string[];
        readonly writes?: readonly string[];
        readonly limits?: KeyLimits;
        readonly role?: 'consumer' | 'publisher' | 'admin';
        readonly endpoints?: readonly ('messages' | 'chat_completions' | 'responses' | 'count_tokens' | 'models' | 'host' | 'batches' | 'catalogs' | 'search' | 'mcp' | 'servers' | 'keys' | 'insight' | 'metrics')[];
        readonly tools?: {
          readonly allow?: readonly string[];
          readonly deny?: readonly string[];
        };
        readonly expires_at?: string;
      };
    };
    readonly answer: {
      readonly key: Key;
      readonly secret: string;
    };
  };
  /** Changes permissions, limits or expiry of a key. Fields that are left out do not change. */
  'PATCH /v1/keys/{id}': {
    readonly input: Path<'id'> & {
      readonly body: {
        readonly models?: readonly string[];
        readonly catalogs?: readonly string[];
        readonly writes?: readonly string[];
        readonly limits?: KeyLimits;
        readonly role?: 'consumer' | 'publisher' | 'admin';
        readonly endpoints?: readonly ('messages' | 'chat_completions' | 'responses' | 'count_tokens' | 'models' | 'host' | 'batches' | 'catalogs' | 'search' | 'mcp' | 'servers' | 'keys' | 'insight' | 'metrics')[] | null;
        readonly tools?: {
          readonly allow?: readonly string[];
          readonly deny?: readonly string[];
        } | null;
        readonly expires_at?: string | null;
      };
    };
    readonly answer: Key;
  };
  /** Revokes a key. */
  'DELETE /v1/keys/{id}': {
    readonly input: Path<'id'>;
    readonly answer: Key;
  };
  /** Gives a key a new secret. Earlier secrets stop working after the overlap, at the latest. */
  'POST /v1/keys/{id}/rotate': {
    readonly input: Path<'id'> & {
      readonly body: {
        readonly overlap_seconds?: number;
      };
    };
    readonly answer: {
      readonly key: Key;
      readonly secret: string;
    };
  };
  /** The audit log, newest first: who changed which key, catalog, labelled request, policy or definition. Requires an admin key without restrictions. */
  'GET /v1/audit': {
    readonly input: {
      readonly query?: {
        readonly limit?: number;
        readonly after_id?: string;
        readonly actor?: string;
        readonly action?: 'catalog.create' | 'catalog' | 'catalog.replace' | 'catalog.delete' | 'catalog.owner' | 'case.put' | 'case' | 'case.delete' | 'key.create' | 'key' | 'key.update' | 'key.rotate' | 'key.revoke' | 'policy.change' | 'policy' | 'definition.accept' | 'definition' | 'learned.forget' | 'learned';
        readonly subject?: string;
        readonly since?: string;
        readonly until?: string;
      };
    };
    readonly answer: {
      readonly data: readonly AuditEntry[];
      readonly has_more: boolean;
      readonly first_id: string | null;
      readonly last_id: string | null;
    };
  };
  /** The latest requests, and those in progress. A key sees its own, an admin key sees all. */
  'GET /v1/activity': {
    readonly input: {
      readonly query?: {
        readonly limit?: number;
        readonly before?: number;
        readonly outcome?: 'nothing' | 'refused' | 'unsearched' | 'failed' | 'loss';
        readonly counts?: 'true' | 'false';
      };
    };
    readonly answer: {
      readonly data: readonly RequestRecord[];
      readonly running: RunningRequests;
      readonly keep: 'off' | 'counts' | 'queries';
      readonly counts?: {
        readonly requests: number;
        readonly nothing: number;
        readonly refused: number;
        readonly unsearched: number;
        readonly failed: number;
        readonly loss: number;
      };
    };
  };
  /** Finished requests as server-sent events named `request`, and the requests in progress as `running` events whenever they change; a `missed` event says how many a slow reader lost. Admin keys also receive `server` events when the state or a definition of a server changes. */
  'GET /v1/activity/live': {
    readonly input: object;
    readonly answer: string;
  };
  /** One request. */
  'GET /v1/activity/{id}': {
    readonly input: Path<'id'>;
    readonly answer: RequestRecord;
  };
  /** What was sent to the models for one request, and what they answered: system prompt, tools and messages. Requires insight.wire. */
  'GET /v1/activity/{id}/wire': {
    readonly input: Path<'id'>;
    readonly answer: List<WireRound>;
  };
  /** Tokens kept out of requests, tokens added, and the difference, by day, model, key and catalog; also in dollars if the settings have prices. */
  'GET /v1/savings': {
    readonly input: {
      readonly query?: {
        readonly days?: number;
      };
    };
    readonly answer: {
      readonly sinceMs: number;
      readonly total: Totals;
      readonly byDay: Readonly<Record<string, Totals>>;
      readonly byModel: Readonly<Record<string, Totals>>;
      readonly byKey: Readonly<Record<string, Totals>>;
      readonly byCatalog: Readonly<Record<string, Totals>>;
      readonly unpriced: readonly string[];
      readonly prices: Readonly<Record<string, {
        readonly input: number;
        readonly cacheRead?: number;
      }>>;
      readonly keyNames: Readonly<Record<string, string>>;
    };
  };
  /** Searches that found nothing, without repeats, with the nearest tools. The query texts require insight: queries. */
  'GET /v1/searches/unanswered': {
    readonly input: {
      readonly query?: {
        readonly limit?: number;
      };
    };
    readonly answer: {
      readonly data: readonly UnansweredSearch[];
      readonly withoutText: number;
    };
  };
  /** Whether models search for deferred tools, by model and form. */
  'GET /v1/reach': {
    readonly input: {
      readonly query?: {
        readonly days?: number;
      };
    };
    readonly answer: List<ModelReach>;
  };
  /** Which tools were called after searches, by catalog (usage.learn). A key sees its own. */
  'GET /v1/learned': {
    readonly input: {
      readonly query?: {
        readonly owner?: string;
        readonly catalog?: string;
      };
    };
    readonly answer: List<{
      readonly owner: string;
      readonly catalog: string;
      readonly tool: string;
      readonly calls: number;
      readonly last_used_at: string;
    }>;
  };
  /** Deletes what was learned: everything of the key, or only one catalog or tool. */
  'DELETE /v1/learned': {
    readonly input: {
      readonly query?: {
        readonly owner?: string;
        readonly catalog?: string;
        readonly tool?: string;
      };
    };
    readonly answer: {
      readonly type: 'learned_forgotten';
      readonly count: number;
    };
  };
  /** Everything that was learned for one catalog: tools, times, and the vectors of requests as base64 bytes. */
  'GET /v1/learned/export': {
    readonly input: {
      readonly query?: {
        readonly owner?: string;
        readonly catalog?: string;
      };
    };
    readonly answer: {
      readonly owner: string;
      readonly catalog: string;
      readonly data: readonly {
        readonly tool: string;
        readonly used_at: string;
        readonly vector?: string;
      }[];
    };
  };
  /** Whether the process responds. */
  'GET /livez': {
    readonly input: object;
    readonly answer: {
      readonly status: 'ok';
    };
  };
  /** Whether the gateway can serve requests; 503 with the reasons if not. */
  'GET /readyz': {
    readonly input: object;
    readonly answer: {
      readonly status: 'ready';
    };
  };
  /** Whether the store responds; 503 with the reason if not. */
  'GET /healthz': {
    readonly input: object;
    readonly answer: {
      readonly status: 'ok';
    };
  };
  /** The OpenAPI document of the gateway. */
  'GET /openapi.json': OpenRoute;
  /** Metrics in the Prometheus text format. */
  'GET /metrics': {
    readonly input: object;
    readonly answer: string;
  };
}
