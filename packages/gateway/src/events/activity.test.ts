import { describe, expect, it } from 'vitest';
import { movedClock } from '../moved-clock.fixture.ts';
import { createActivity } from './activity.ts';
import type { GatewayEvent, RequestRecord } from './gateway-event.ts';
import type { RequestEnd, RequestStart } from './request-record.ts';

describe('the record of a request', () => {
  it('lists steps in the order in which they began, however long they took', () => {
    const { record } = recordOf([
      at(0, { kind: 'model-round-start', requestId: 'r', round: 1, tokens: 0, carried: 0, revealed: 0, offered: 0 }),
      at(30, call('short', 5)),
      at(40, call('long', 30)),
      at(45, { kind: 'model-round-start', requestId: 'r', round: 2, tokens: 9, carried: 0, revealed: 0, offered: 0 }),
    ]);
    expect(record?.steps).toMatchObject([
      { kind: 'model', fromMs: 0, tookMs: 10 },
      { kind: 'call', tool: 'long', fromMs: 10, tookMs: 30 },
      { kind: 'call', tool: 'short', fromMs: 25, tookMs: 5 },
      { kind: 'model', fromMs: 45, tookMs: 5 },
    ]);
    expect(record?.omitted).toBeUndefined();
  });

  it('begins no step before the model has asked for it, although durations come from a finer clock', () => {
    const { record } = recordOf([
      at(10, { kind: 'model-round-start', requestId: 'r', round: 1, tokens: 0, carried: 0, revealed: 0, offered: 0 }),
      at(11, SEARCH),
      at(11, { kind: 'model-round-start', requestId: 'r', round: 2, tokens: 9, carried: 0, revealed: 0, offered: 0 }),
      at(12, call('quick', 1.2)),
    ]);
    expect(record?.steps).toMatchObject([
      { kind: 'model', fromMs: 10 },
      { kind: 'search', fromMs: 10 },
      { kind: 'model', fromMs: 11 },
      { kind: 'call', fromMs: 11 },
    ]);
  });

  it('stays small whatever a model searches for, and says what it leaves out', () => {
    const [query, reason] = ['q'.repeat(500), 'w'.repeat(200)];
    const found = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
    const search: GatewayEvent = {
      ...{ kind: 'tool-search-end', requestId: 'r', atMs: 0, outcome: 'match', queryCount: 1, queries: [query] },
      ...{ found, tools: found, scores: found.map(() => 1), reasons: found.map(() => reason) },
      ...{ durationMs: 1, answerTokens: 10 },
    };
    const { record } = recordOf(Array.from({ length: 103 }, () => at(1, search)));
    const length = 500 + 20 * 200 + 2 * found.join('').length;
    expect(record?.searches).toHaveLength(100);
    expect(record?.searches[0]).toMatchObject({ queries: [query], found });
    expect(record?.searches[99]).toMatchObject({ outcome: 'match', queryCount: 1, found: [], tools: [], scores: [] });
    const whole = record?.searches.filter((one) => one.found.length > 0).length ?? 0;
    expect(record?.omitted).toMatchObject({ searches: 3, steps: 3, characters: (103 - whole) * length });
    expect(JSON.stringify(record).length).toBeLessThan(64 * 1024);
  });

  it('leaves out names that are too long, of calls and of catalogs too', () => {
    const name = 'n'.repeat(6_000);
    const plan = { kind: 'plan-decide', requestId: 'r', decision: 'inline', reason: '' } as const;
    const { record } = recordOf([at(0, { ...plan, catalogs: Array.from({ length: 102 }, () => 'tools') })], {
      called: [name, name, name],
    });
    expect(record).toMatchObject({ called: [name, name], omitted: { catalogs: 2, called: 1 } });
    expect(record?.catalogs).toHaveLength(100);
  });
});

const END: RequestEnd = { id: 'r', atMs: 0, route: 'messages', status: 200, durationMs: 50, owner: '', called: [] };

function at(ms: number, event: GatewayEvent): { readonly ms: number; readonly event: GatewayEvent } {
  return { ms, event };
}

const SEARCH: GatewayEvent = {
  ...{ kind: 'tool-search-end', requestId: 'r', atMs: 0, outcome: 'match', queryCount: 1, queries: ['weather'] },
  ...{ found: [], tools: [], scores: [], durationMs: 1.3, answerTokens: 10 },
};

function call(tool: string, durationMs: number): GatewayEvent {
  const kind = 'server-call-end';
  return { kind, requestId: 'r', server: 's', isConfigured: true, owner: '', tool, isError: false, durationMs };
}

const NEVER = () => () => undefined;

const START: RequestStart = { requestId: 'r', atMs: 0, access: { owner: 'ann' }, facts: { route: 'messages' } };

function recordOf(events: readonly ReturnType<typeof at>[], end: Partial<RequestEnd> = {}) {
  let now = 0;
  const activity = createActivity({ clock: { now: () => now, after: NEVER } });
  activity.begin(START);
  for (const { ms, event } of events) {
    now = ms;
    activity.emit(event);
  }
  let record: RequestRecord | undefined;
  activity.end({ ...END, ...end }, (made) => {
    record = made;
  });
  activity.settle();
  return { record };
}

describe('requests in progress', () => {
  const SEARCH = { kind: 'tool-search-start', atMs: 0, requestId: 'r', queryCount: 1 } as const;
  const ROUND = {
    kind: 'model-round-start',
    requestId: 'r',
    round: 1,
    tokens: 0,
    carried: 0,
    revealed: 0,
    offered: 0,
  } as const;

  it('are listed with what they do, until they end', () => {
    let now = 70;
    const activity = createActivity({ clock: { now: () => now, after: NEVER } });
    const facts: { route: string; model: string; sentAtMs?: number } = { route: 'messages', model: 'm' };
    const stateNow = () => activity.running(undefined).data.map(({ state }) => state);
    activity.begin({ ...START, facts });
    expect(activity.running(undefined)).toMatchObject({
      ...{ nowMs: 70, total: 1 },
      data: [
        { id: 'r', atMs: 0, state: 'waiting', route: 'messages', owner: 'ann', model: 'm', rounds: 0, searches: 0 },
      ],
    });
    activity.emit(ROUND);
    facts.sentAtMs = 71;
    expect(stateNow()).toEqual(['streaming']);
    activity.emit(SEARCH);
    expect(stateNow()).toEqual(['searching']);
    activity.emit({
      ...{ kind: 'tool-search-end', requestId: 'r', atMs: 0, outcome: 'match', queryCount: 1 },
      ...{ queries: ['the words of a query '.repeat(20)], found: [], tools: [], scores: [] },
      ...{ durationMs: 1, answerTokens: 10 },
    });
    expect(activity.running(undefined).data).toMatchObject([{ searches: 1, rounds: 1 }]);
    expect(activity.running(undefined).data[0]?.query).toHaveLength(200);
    now = 80;
    activity.emit({ ...ROUND, round: 2 });
    expect(stateNow()).toEqual(['waiting']);
    activity.emit({ kind: 'tool-call-start', atMs: 0, requestId: 'r', tool: 't', argumentTokens: 1 });
    expect(stateNow()).toEqual(['calling']);
    activity.end(END);
    expect(activity.running(undefined)).toEqual({ nowMs: 80, total: 0, data: [] });
  });

  it('are shown to their own key, and at most a hundred, those that run longest first', () => {
    const activity = createActivity({ clock: { now: () => 70, after: NEVER } });
    for (let at = 149; at >= 0; at -= 1) activity.begin({ ...START, requestId: `r${at}`, atMs: at });
    activity.begin({ ...START, requestId: 'other', access: { owner: 'bob' } });
    expect(activity.running('bob')).toMatchObject({ total: 1, data: [{ id: 'other' }] });
    const { total, data } = activity.running(undefined);
    expect([total, data.length]).toEqual([151, 100]);
    expect(data.map(({ atMs }) => atMs)).toEqual([0, ...Array.from({ length: 99 }, (_, at) => at)]);
  });

  it('leave out MCP clients that only listen', () => {
    const activity = createActivity({ clock: { now: () => 70, after: NEVER } });
    activity.begin({ ...START, facts: { route: 'mcp' } });
    expect(activity.running(undefined).total).toBe(0);
    activity.emit(SEARCH);
    expect(activity.running(undefined).data).toMatchObject([{ state: 'searching' }]);
  });
});

describe('sinks that count', () => {
  const event = (texts: number): GatewayEvent => ({ kind: 'reranker-call', texts });
  const textsOf = (events: readonly GatewayEvent[]) =>
    events.map((one) => (one.kind === 'reranker-call' ? one.texts : 0));

  it('read events in their order: when someone asks, after a moment, and when they are many', () => {
    const clock = movedClock(0);
    const [prompt, counted]: [GatewayEvent[], GatewayEvent[]] = [[], []];
    const activity = createActivity({
      ...{ clock, prompt: [(one) => prompt.push(one)], counting: [(one) => counted.push(one)] },
    });
    activity.emit(event(1));
    activity.emit(event(2));
    expect([textsOf(prompt), textsOf(counted)]).toEqual([[1, 2], []]);
    activity.settle();
    activity.settle();
    expect(textsOf(counted)).toEqual([1, 2]);
    activity.emit(event(3));
    clock.move(50);
    expect(textsOf(counted)).toEqual([1, 2, 3]);
    activity.emit(event(4));
    clock.move(50);
    expect(textsOf(counted)).toEqual([1, 2, 3, 4]);
    const start = { kind: 'tool-call-start', atMs: 0, tool: 't', argumentTokens: 1 } as const;
    for (let texts = 5; texts < 300; texts += 1) {
      activity.emit(start);
      activity.emit(event(texts));
    }
    expect(counted.length).toBeGreaterThan(128);
    expect(textsOf(counted)).toEqual(counted.map((_, at) => at + 1));
    expect(prompt.filter(({ kind }) => kind === 'tool-call-start')).toHaveLength(295);
  });

  it('read each event at once while someone follows', () => {
    const list = { isFollowed: false };
    const counted: GatewayEvent[] = [];
    const activity = createActivity({
      ...{ clock: movedClock(0), counting: [(one) => counted.push(one)], list },
    });
    activity.emit(event(1));
    list.isFollowed = true;
    activity.emit(event(2));
    expect(textsOf(counted)).toEqual([1, 2]);
  });
});
