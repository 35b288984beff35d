import { byKind, countFound, type EventOf, type EventSink, type RequestRecord } from '../events/index.ts';
import { createRegistry, type Registry } from './registry.ts';

/** What a gateway counts, all of it from events. Labels are routes, statuses, outcomes, models and names in the settings: never a tool's or a user's words. */
export interface GatewayMetrics {
  readonly registry: Registry;
  readonly onEvent: EventSink;
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
    'catalog',
    catalogs.read,
  );

  const [models, keys] = [boundedNames(), boundedNames()];

  function countRecord(record: RequestRecord): void {
    const { decision, form = '', searches: made, tokens: account, reach: got } = record;
    const [model, key] = [models(record.model ?? ''), keys(record.key ?? '')];
    modelSeconds(model, key).observe(record.durationMs / 1000);
    if (decision !== undefined) decisions(decision).value += 1;
    if (got !== undefined) reach(model, form, got).value += 1;
    for (const { outcome } of made) modelSearches(model, key, outcome).value += 1;
    const { unused } = countFound(record);
    if (unused > 0) notCalled(model).value += unused;
    catalogs.note(record);
    if (account === undefined) return;
    keptOut(model, key).value += account.keptOut;
    added(model, key).value += account.added;
    saved(model, key).value += account.net;
  }

  const onEvent = byKind<void>({
    'request-end'({ route, status, durationMs, used, record }) {
      requests(route, String(status)).value += 1;
      seconds(route).observe(durationMs / 1000);
      if (used !== undefined) {
        tokens('input').value += used.inputTokens;
        tokens('output').value += used.outputTokens;
      }
      if (record !== undefined) countRecord(record);
    },
    'plan-decide': catalogs.plan,
    'tool-search-end'({ engine = 'none', outcome, reranker, found: names, durationMs }) {
      searches(engine, outcome).value += 1;
      if (reranker !== undefined) reranked(reranker).value += 1;
      if (names.length > 0) found().value += names.length;
      searchSeconds().observe(durationMs / 1000);
    },
    'search-prepare-end'({ isError }) {
      preparations(outcomeOf(isError)).value += 1;
    },
    'server-call-end'({ server, isConfigured, isError, durationMs }) {
      const [calls, times] = isConfigured ? [serverCalls, serverSeconds] : [connectorCalls, connectorSeconds];
      calls(server, outcomeOf(isError)).value += 1;
      times(server).observe(durationMs / 1000);
    },
    'reranker-call'({ texts }) {
      rerankedTexts().value += texts;
    },
    'reranker-fallback'({ of }) {
      failures(of === 'search' ? 'fallback' : 'store-failed').value += 1;
    },
    'batch-item-end'({ outcome }) {
      batchItems(outcome).value += 1;
    },
    'server-change'({ server, state }) {
      serverChanges(server, state).value += 1;
    },
    'definition-change'({ isHeld }) {
      definitionChanges(String(isHeld)).value += 1;
    },
  });
  return { registry, watchCatalog: catalogs.watch, onEvent };
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

/** Requests choose which catalogs they name together, and one can have many tools. */
const MOST_CATALOGS = 200;
const MOST_FOUND = 50_000;

/** Which tools of catalogs searches have found so far, to compute how many were never found. */
function neverFound() {
  const catalogs = new Map<string, { toolCount: () => number; readonly found: Set<string> }>();
  let foundInAll = 0;
  const watch = (catalog: string, toolCount: () => number): void => {
    const known = catalogs.get(catalog);
    if (known !== undefined) known.toolCount = toolCount;
    else if (catalogs.size < MOST_CATALOGS) catalogs.set(catalog, { toolCount, found: new Set() });
  };
  return {
    watch,
    plan({ catalogs: names, deferred }: EventOf<'plan-decide'>): void {
      if (names !== undefined && deferred !== undefined) watch(names.join(', '), () => deferred);
    },
    note({ route, catalogs: names, searches }: RequestRecord): void {
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
    *read(): Generator<readonly [catalog: string, number]> {
      for (const [catalog, { toolCount, found }] of catalogs) {
        yield [catalog, Math.max(0, toolCount() - found.size)];
      }
    },
  };
}

/** The name of the tools behind `/mcp`. */
export const MCP_CATALOG = '/mcp';
