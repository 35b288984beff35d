import { type CountedEvent, countFound, type EventOf, type RequestRecord } from '../events/index.ts';
import { createRegistry, type Registry } from './registry.ts';

/** What a gateway counts, all of it from events. Labels are routes, statuses, outcomes, models and names in the settings: never a tool's or a user's words. */
export interface GatewayMetrics {
  readonly registry: Registry;
  onEvent(event: CountedEvent): void;
  /** Counts the tools of a catalog that no search has found; asks the catalog how many tools it has. */
  watchCatalog(catalog: string, toolCount: () => number): void;
}

/** @param settle has what happened so far counted */
export function createGatewayMetrics(settle: () => void): GatewayMetrics {
  const registry = createRegistry({ beforeRender: settle });
  const searches = registry.counter(
    'quartermaster_searches_total',
    'Searches that models made, by engine and verdict (match, none, failure, stopped).',
    ['engine', 'verdict'],
  );
  const decisions = registry.counter(
    'quartermaster_decisions_total',
    'How the tools of a request were sent: deferred, inline, or passed on.',
    ['decision'],
  );
  const keptOut = registry.counter(
    'quartermaster_tokens_kept_out_total',
    'Tokens of tool definitions that were not sent, estimated, by model and key.',
    ['model', 'key'],
  );
  const added = registry.counter(
    'quartermaster_tokens_added_total',
    'Tokens that tool search added, by model and key: its tools, answers, and rounds that were repeated.',
    ['model', 'key'],
  );
  const saved = registry.level(
    'quartermaster_tokens_saved_total',
    'Tokens kept out minus tokens added since the start, estimated, by model and key. May fall, and may be negative.',
    ['model', 'key'],
  );
  const notCalled = registry.counter(
    'quartermaster_tools_found_not_called_total',
    'Tools that searches of a response found and the response did not call, by model.',
    ['model'],
  );
  const reach = registry.counter(
    'quartermaster_reach_total',
    'Responses with deferred tools, by model, form, and whether the conversation searched, called a tool without searching, or did neither.',
    ['model', 'form', 'outcome'],
  );
  const found = registry.counter('quartermaster_tools_found_total', 'Tools that searches returned.', []);
  const searchSeconds = registry.histogram('quartermaster_tool_search_seconds', 'Duration of searches.', {
    bounds: SHORT,
    labels: [],
  });
  const preparations = registry.counter(
    'quartermaster_search_preparations_total',
    'Catalogs whose index was built before the first search, by outcome.',
    ['outcome'],
  );
  const failures = registry.counter(
    'quartermaster_reranker_failures_total',
    'Searches answered without the reranker (fallback), and failures of the store for its vectors (store-failed), by kind.',
    ['kind'],
  );
  const reranked = registry.counter(
    'quartermaster_reranked_searches_total',
    'Searches of an engine with a reranker, by the outcome of the reranker: used, fallback (failed or late), skipped (not its language).',
    ['outcome'],
  );
  const rerankedTexts = registry.counter('quartermaster_reranker_texts_total', 'Texts sent to the reranker.', []);
  const connectorCalls = registry.counter(
    'quartermaster_connector_calls_total',
    'Calls to MCP servers that requests name, by the pattern that allows them and outcome.',
    ['pattern', 'outcome'],
  );
  const connectorSeconds = registry.histogram(
    'quartermaster_connector_call_seconds',
    'Duration of calls to MCP servers that requests name.',
    { bounds: LONG, labels: ['pattern'] },
  );
  const serverCalls = registry.counter(
    'quartermaster_mcp_calls_total',
    'Calls to configured MCP servers, by server and outcome.',
    ['server', 'outcome'],
  );
  const serverSeconds = registry.histogram(
    'quartermaster_mcp_call_seconds',
    'Duration of calls to configured MCP servers.',
    { bounds: LONG, labels: ['server'] },
  );
  const requests = registry.counter('quartermaster_requests_total', 'Requests, by route and status.', [
    'route',
    'status',
  ]);
  const seconds = registry.histogram('quartermaster_request_seconds', 'Time until the end of a response.', {
    bounds: LONG,
    labels: ['route'],
  });
  const modelSeconds = registry.histogram(
    'quartermaster_model_request_seconds',
    'Time until the end of a model response, by model and key.',
    { bounds: LONG, labels: ['model', 'key'] },
  );
  const modelSearches = registry.counter(
    'quartermaster_model_searches_total',
    'Searches that models made, by model, key and verdict.',
    ['model', 'key', 'verdict'],
  );
  const tokens = registry.counter('quartermaster_tokens_total', 'Tokens that upstreams reported, by direction.', [
    'direction',
  ]);
  const batchItems = registry.counter('quartermaster_batch_items_total', 'Batch items, by outcome.', ['outcome']);
  const serverChanges = registry.counter(
    'quartermaster_mcp_server_changes_total',
    'Changes of the state or the tools of configured MCP servers, by server and state.',
    ['server', 'state'],
  );
  const definitionChanges = registry.counter(
    'quartermaster_mcp_definition_changes_total',
    'Tools of MCP servers whose definition has changed, by whether they are held back until the change is accepted.',
    ['held'],
  );
  const catalogs = neverFound();
  registry.gauges(
    'quartermaster_tools_never_found',
    'Deferred tools of a catalog that no search has found since the start, by catalog.',
    catalogs.read,
  );

  // What each request counts is looked up by its few names alone, and counted in place.
  const routeOf = eachOnce((route: string) => ({
    seconds: seconds.of({ route }),
    withStatus: eachOnce((status: number) => requests.of({ route, status: String(status) })),
  }));
  const [models, keys] = [boundedNames(), boundedNames()];
  const modelOf = eachOnce((model: string) => ({
    notCalled: lazily(() => notCalled.of({ model })),
    reached: eachOnce((form: string) => eachOnce((outcome: string) => reach.of({ model, form, outcome }))),
    forKey: eachOnce((key: string) => ({
      seconds: modelSeconds.of({ model, key }),
      searched: eachOnce((verdict: string) => modelSearches.of({ model, key, verdict })),
      tokens: lazily(() => {
        const labels = { model, key };
        return { keptOut: keptOut.of(labels), added: added.of(labels), saved: saved.of(labels) };
      }),
    })),
  }));
  const decided = eachOnce((decision: string) => decisions.of({ decision }));
  const searched = eachOnce((engine: string) => eachOnce((verdict: string) => searches.of({ engine, verdict })));
  const foundTools = lazily(() => found.of({}));
  const searchDurations = lazily(() => searchSeconds.of({}));
  const usedTokens = lazily(() => ({
    input: tokens.of({ direction: 'input' }),
    output: tokens.of({ direction: 'output' }),
  }));

  function countRecord(record: RequestRecord): void {
    const { decision, form = '', searches: made, tokens: account, reach: got } = record;
    const ofModel = modelOf(models(record.model ?? ''));
    const ofKey = ofModel.forKey(keys(record.key ?? ''));
    ofKey.seconds.observe(record.durationMs / 1000);
    if (decision !== undefined) decided(decision).value += 1;
    if (got !== undefined) ofModel.reached(form)(got).value += 1;
    for (const { outcome } of made) ofKey.searched(outcome).value += 1;
    const { unused } = countFound(record);
    if (unused > 0) ofModel.notCalled().value += unused;
    catalogs.note(record);
    if (account === undefined) return;
    const counts = ofKey.tokens();
    counts.keptOut.value += account.keptOut;
    counts.added.value += account.added;
    counts.saved.value += account.net;
  }

  return {
    registry,
    watchCatalog: catalogs.watch,
    onEvent(event) {
      switch (event.kind) {
        case 'request-end': {
          const ofRoute = routeOf(event.route);
          ofRoute.withStatus(event.status).value += 1;
          ofRoute.seconds.observe(event.durationMs / 1000);
          if (event.used !== undefined) {
            const { input, output } = usedTokens();
            input.value += event.used.inputTokens;
            output.value += event.used.outputTokens;
          }
          if (event.record !== undefined) countRecord(event.record);
          return;
        }
        case 'plan-decide':
          catalogs.plan(event);
          return;
        case 'tool-search-end':
          searched(event.engine ?? 'none')(event.outcome).value += 1;
          if (event.reranker !== undefined) reranked.add({ outcome: event.reranker });
          if (event.found.length > 0) foundTools().value += event.found.length;
          searchDurations().observe(event.durationMs / 1000);
          return;
        case 'search-prepare-end':
          preparations.add({ outcome: outcomeOf(event.isError) });
          return;
        case 'server-call-end': {
          const { server, isConfigured, isError, durationMs } = event;
          const outcome = outcomeOf(isError);
          if (isConfigured) {
            serverCalls.add({ server, outcome });
            serverSeconds.observe(durationMs / 1000, { server });
          } else {
            connectorCalls.add({ pattern: server, outcome });
            connectorSeconds.observe(durationMs / 1000, { pattern: server });
          }
          return;
        }
        case 'reranker-call':
          rerankedTexts.add({}, event.texts);
          return;
        case 'reranker-fallback':
          failures.add({ kind: event.of === 'search' ? 'fallback' : 'store-failed' });
          return;
        case 'batch-item-end':
          batchItems.add({ outcome: event.outcome });
          return;
        case 'server-change':
          serverChanges.add({ server: event.server, state: event.state });
          return;
        case 'definition-change':
          definitionChanges.add({ held: String(event.isHeld) });
          return;
        case 'definition-finding':
        case 'listing-cut':
          return;
      }
    },
  };
}

/** Created when a key first appears. Only for keys of which there are few. */
function eachOnce<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/** A series without a count is not listed. */
function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Clients choose names of models: only a limited number becomes labels. */
const MOST_NAMES = 100;

function boundedNames(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MOST_NAMES) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

function outcomeOf(isError: boolean): string {
  return isError ? 'error' : 'success';
}

const SHORT = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1];
const LONG = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Which tools of catalogs searches have found so far, to compute how many were never found. */
interface NeverFound {
  watch(catalog: string, toolCount: () => number): void;
  /** A request defers a catalog's tools. */
  plan(event: EventOf<'plan-decide'>): void;
  note(record: RequestRecord): void;
  read(): Iterable<readonly [{ readonly catalog: string }, number]>;
}

/** Requests choose which catalogs they name together, and one can have many tools. */
const MOST_CATALOGS = 200;
const MOST_FOUND = 50_000;

function neverFound(): NeverFound {
  const catalogs = new Map<string, { toolCount: () => number; readonly found: Set<string> }>();
  let foundInAll = 0;
  const watch = (catalog: string, toolCount: () => number): void => {
    const known = catalogs.get(catalog);
    if (known !== undefined) known.toolCount = toolCount;
    else if (catalogs.size < MOST_CATALOGS) catalogs.set(catalog, { toolCount, found: new Set() });
  };
  return {
    watch,
    plan({ catalogs: names, deferred }) {
      if (names !== undefined && deferred !== undefined) watch(names.join(', '), () => deferred);
    },
    note({ route, catalogs: names, searches }) {
      if (searches.length === 0) return;
      const known = catalogs.get(route === 'mcp' ? MCP_CATALOG : (names?.join(', ') ?? ''));
      if (known === undefined) return;
      for (const { found } of searches) {
        for (const tool of found) {
          if (foundInAll >= MOST_FOUND || known.found.has(tool)) continue;
          known.found.add(tool);
          foundInAll += 1;
        }
      }
    },
    *read() {
      for (const [catalog, { toolCount, found }] of catalogs) {
        yield [{ catalog }, Math.max(0, toolCount() - found.size)];
      }
    },
  };
}

/** The name of the tools behind `/mcp`. */
export const MCP_CATALOG = '/mcp';
