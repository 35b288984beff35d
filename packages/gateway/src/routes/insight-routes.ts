import { defined } from '@quartermaster/core/internal';
import { type Access, configuredOwner, ownerSeenBy } from '../access/index.ts';
import { type Api, jsonRoutes, type RoutedRequest } from '../api/index.ts';
import {
  ACTIVITY_ANSWER,
  ACTIVITY_QUERY,
  DAYS_QUERY,
  REACH_ANSWER,
  REQUEST_RECORD,
  SAVINGS_ANSWER,
  UNANSWERED_ANSWER,
  UNANSWERED_QUERY,
  WIRE_ANSWER,
} from '../api/insight-schemas.ts';
import { TEXT } from '../api/schema.ts';
import { loadCatalog } from '../catalogs/index.ts';
import type { RequestRecord } from '../events/index.ts';
import { ApiError, type RequestContext } from '../http/index.ts';
import {
  ACTIVITY_OUTCOMES,
  compilePrices,
  describeReach,
  describeSavings,
  listUnanswered,
  outcomesOf,
  type UnansweredSearch,
} from '../insight/index.ts';
import { readSearchRequest } from '../search/index.ts';
import { liveActivity } from './live-activity.ts';
import { EVENT_STREAM } from './model-routes.ts';
import { readWhole } from './read-query.ts';
import type { Services } from './services.ts';

/** What happened, and what it saved. A key sees its own requests, an admin key without restrictions everyone's. */
export function mountInsightRoutes(api: Api, services: Services): void {
  const { runner, gatekeeper, insight, activity, clock, settings } = services;
  const priceOf = compilePrices(settings.prices);
  const routes = jsonRoutes(api, runner, 'insight');

  const streams = new Map<string, number>();

  /** Including those of an earlier start, or of other replicas, if they are stored. */
  async function withStored(
    latest: readonly RequestRecord[],
    query: Parameters<typeof insight.meter.records>[0],
  ): Promise<readonly RequestRecord[]> {
    const known = new Set(latest.map(({ id }) => id));
    const stored = (await insight.meter.records(query)).filter(({ id }) => !known.has(id));
    return [...latest, ...stored].sort((left, right) => right.atMs - left.atMs).slice(0, query.limit);
  }

  /** How many of the latest requests are listed under each outcome. */
  async function countOutcomes(owner: string | undefined): Promise<object> {
    const query = { owner, limit: MOST_RECORDS };
    const latest = insight.log.list(query);
    const records = latest.length < query.limit ? await withStored(latest, query) : latest;
    const found = records.flatMap(outcomesOf);
    const counts = ACTIVITY_OUTCOMES.map((outcome) => [outcome, found.filter((one) => one === outcome).length]);
    return { requests: records.length, ...Object.fromEntries(counts) };
  }

  async function findRecord(id: string, access: Access): Promise<RequestRecord> {
    const owner = ownerSeenBy(access);
    const record = insight.log.get(id, owner) ?? (await insight.meter.record(id));
    if (record !== undefined && (owner === undefined || record.owner === owner)) return record;
    throw new ApiError(404, 'There is no such request among the latest ones of this key');
  }

  async function readCells({ access, query: { days } }: RoutedRequest) {
    return insight.meter.read({
      owner: ownerSeenBy(access),
      days: readWhole('days', days, MOST_DAYS) ?? DEFAULT_DAYS,
    });
  }

  /** Once there are keys, a stream without one gets no more changes of servers; it ends with its next ping. */
  const mayBeTold = ({ owner }: Access): boolean => owner !== '' || gatekeeper.isKnownOpen();

  routes.get(
    '/v1/activity',
    {
      summary: 'The latest requests, and those in progress. A key sees its own, an admin key sees all.',
      query: ACTIVITY_QUERY,
      answer: ACTIVITY_ANSWER,
    },
    async ({ access, query: { limit, before, outcome, counts } }) => {
      const beforeMs = readWhole('before', before, Number.MAX_SAFE_INTEGER);
      const known = ACTIVITY_OUTCOMES.find((one) => one === outcome);
      if (outcome !== undefined && known === undefined) {
        throw new ApiError(400, `outcome: should be one of ${ACTIVITY_OUTCOMES.join(', ')}`);
      }
      if (counts !== undefined && counts !== 'true' && counts !== 'false') {
        throw new ApiError(400, 'counts: should be true or false');
      }
      const query = {
        owner: ownerSeenBy(access),
        limit: readWhole('limit', limit, MOST_RECORDS) ?? DEFAULT_LIMIT,
        ...defined({ beforeMs, outcome: known }),
      };
      const latest = insight.log.list(query);
      const data = latest.length < query.limit ? await withStored(latest, query) : latest;
      const { keep } = settings.insight;
      const running = activity.running(query.owner);
      return { data, running, keep, ...(counts === 'true' ? { counts: await countOutcomes(query.owner) } : {}) };
    },
  );
  routes.get(
    '/v1/activity/live',
    {
      summary:
        'Finished requests as server-sent events named `request`, and the requests in progress as `running` events whenever they change; a `missed` event says how many a slow reader lost. Admin keys also receive `server` events when the state or a definition of a server changes.',
      answer: TEXT,
      answerType: 'text/event-stream',
    },
    async ({ access, signal, onEnd }) => {
      const { closed } = insight;
      const open = streams.get(access.owner) ?? 0;
      if (open >= MOST_STREAMS) {
        throw new ApiError(429, `This key has ${MOST_STREAMS} live streams open; close one first`);
      }
      streams.set(access.owner, open + 1);
      const body = liveActivity({
        // Servers are shared: their events are for those who see everything.
        follow: ({ onRecord, onNotice }) =>
          insight.log.follow({
            ...{ owner: ownerSeenBy(access), onRecord },
            ...(access.isUnlimited ? { onNotice: (event) => mayBeTold(access) && onNotice?.(event) } : {}),
          }),
        running: () => activity.running(ownerSeenBy(access)),
        signal: AbortSignal.any([signal, closed]),
        after: clock.after,
        async mayGoOn() {
          const now = await gatekeeper.admitOwner(access.owner);
          return now?.isUnlimited === access.isUnlimited && now.mayUseEndpoint('insight');
        },
        onEnd() {
          const left = (streams.get(access.owner) ?? 1) - 1;
          if (left === 0) streams.delete(access.owner);
          else streams.set(access.owner, left);
          onEnd();
        },
      });
      return new Response(body, { headers: EVENT_STREAM });
    },
  );
  routes.get('/v1/activity/:id', { summary: 'One request.', answer: REQUEST_RECORD }, async ({ access, param }) =>
    findRecord(param('id'), access),
  );
  routes.get(
    '/v1/activity/:id/wire',
    {
      summary:
        'What was sent to the models for one request, and what they answered: system prompt, tools and messages. Requires insight.wire.',
      answer: WIRE_ANSWER,
    },
    async ({ access, param }) => {
      const { id } = await findRecord(param('id'), access);
      if (insight.wire === undefined) {
        throw new ApiError(404, 'Requests are not held as they were sent to models; set insight.wire to true');
      }
      const rounds = insight.wire.read(id);
      if (rounds === undefined) throw new ApiError(404, 'What was sent for this request is not held any more');
      return { data: rounds };
    },
  );
  routes.get(
    '/v1/savings',
    {
      summary:
        'Tokens kept out of requests, tokens added, and the difference, by day, model, key and catalog; also in dollars if the settings have prices.',
      query: DAYS_QUERY,
      answer: SAVINGS_ANSWER,
    },
    async (request) => {
      const cells = await readCells(request);
      const savings = describeSavings(cells, {
        sinceMs: insight.meter.sinceMs ?? clock.now(),
        isStored: insight.meter.sinceMs === undefined,
        priceOf,
      });
      return { ...savings, keyNames: await readKeyNames(services, Object.keys(savings.byKey)) };
    },
  );
  /** The nearest tools by meaning, although the search found no match. */
  async function nearestTo(
    { query, catalogs: names }: UnansweredSearch,
    { access, signal }: RequestContext,
  ): Promise<readonly object[]> {
    const [name, ...others] = names;
    if (name === undefined || others.length > 0) return [];
    try {
      const catalog = await loadCatalog(services.catalogs, name, access);
      if (catalog.tools.length > MOST_COMPARED) return [];
      const body = { query, engine: 'semantic', limit: NEAREST };
      const request = readSearchRequest(body, services.settings.maxQueryLength);
      const answer = await services.search.service.search({ ...catalog, owner: access.owner }, request, signal);
      const { results } = answer as { readonly results: readonly { readonly hits: readonly NearTool[] }[] };
      return (results[0]?.hits ?? []).map(({ tool, name: shown, score }) => ({ tool, name: shown, score }));
    } catch (error) {
      // A deleted catalog has no nearest tools.
      if (error instanceof ApiError && error.status < 500) return [];
      throw error;
    }
  }

  routes.get(
    '/v1/searches/unanswered',
    {
      summary:
        'Searches that found nothing, without repeats, with the nearest tools. The query texts require insight: queries.',
      query: UNANSWERED_QUERY,
      answer: UNANSWERED_ANSWER,
    },
    async (requestContext) => {
      const most = readWhole('limit', requestContext.query.limit, MOST_UNANSWERED) ?? DEFAULT_UNANSWERED;
      const query = { owner: ownerSeenBy(requestContext.access), limit: MOST_RECORDS, outcome: 'nothing' } as const;
      const { searches, withoutText } = listUnanswered(await withStored(insight.log.list(query), query));
      const data: object[] = [];
      // One after the other: each may build an index.
      for (const search of searches.slice(0, most)) {
        data.push({ ...search, nearest: await nearestTo(search, requestContext) });
      }
      return { data, withoutText };
    },
  );
  routes.get(
    '/v1/reach',
    {
      summary: 'Whether models search for deferred tools, by model and form.',
      query: DAYS_QUERY,
      answer: REACH_ANSWER,
    },
    async (request) => ({ data: describeReach(await readCells(request)) }),
  );
}

/** The names of the keys that are counted. */
async function readKeyNames(
  { store, configuredKeys }: Services,
  owners: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const names = new Map(configuredKeys.map((key) => [configuredOwner(key), key.name]));
  const isStored = owners.some((owner) => owner !== '' && !names.has(owner));
  for (const { id, name } of isStored ? ((await store?.keys.list()) ?? []) : []) names.set(id, name);
  return Object.fromEntries(owners.flatMap((owner) => (names.has(owner) ? [[owner, names.get(owner) ?? '']] : [])));
}

/** How many days are added up, unless the request says otherwise. */
const DEFAULT_DAYS = 30;
const MOST_DAYS = 3_650;
interface NearTool {
  readonly tool: string;
  readonly name: string;
  readonly score: number;
}

const NEAREST = 3;
/** A catalog with more tools is not indexed a second time for this. */
const MOST_COMPARED = 10_000;
const DEFAULT_UNANSWERED = 20;
const MOST_UNANSWERED = 100;

const DEFAULT_LIMIT = 100;
const MOST_RECORDS = 500;
/** How many live streams one key may have open. */
const MOST_STREAMS = 20;
