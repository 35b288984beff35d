import { describe, expect, it } from 'vitest';
import { createSnapshot, type Tool } from '../catalog/index.ts';
import { FORMS, type Form, keepsPrefix, type Plan, type Unavailable } from '../disclosure/index.ts';
import { sampleTool } from '../disclosure/sample-tools.fixture.ts';
import { createToolbox, type Toolbox } from '../dispatch/index.ts';
import { wordSearcher } from '../dispatch/word-searcher.fixture.ts';
import { runLoop } from './run-loop.ts';
import type { Received, ScriptedItem, ScriptedRound, Seen, WireSample } from './wire-sample.fixture.ts';

const TOOLS: readonly Tool[] = [
  sampleTool({ name: 'read_file', policy: 'never', description: 'Reads a file.' }),
  sampleTool({ name: 'create_issue', description: 'Opens an issue.' }),
  sampleTool({ name: 'close_issue', description: 'Closes an issue.' }),
  sampleTool({ name: 'send_message', description: 'Sends a message.' }),
];

const DONE: ScriptedRound = { items: [{ kind: 'text', text: 'All done.' }], ending: 'done' };

/** The suite that every wire runs. */
export function describeWire<Request, Part>(sample: WireSample<Request, Part>): void {
  describe(`the wire ${sample.wire.dialect}`, () => {
    describeOpen(sample);
    for (const [name, form] of Object.entries(sample.forms)) {
      describe(`in the form ${name}`, () => describeForm(sample, form));
    }
  });
}

function describeOpen<Request, Part>(sample: WireSample<Request, Part>): void {
  const { wire } = sample;
  const request = freeze(sample.request({ text: 'Open an issue', tools: TOOLS, unknown: 'kept' }));

  it('reads the declared tools and the latest user text', () => {
    const opened = wire.open(request);
    expect(opened.tools.map((tool) => tool.name)).toEqual(TOOLS.map((tool) => tool.name));
    expect(opened.tools.map((tool) => tool.schema)).toEqual(TOOLS.map((tool) => tool.schema));
    expect(opened.userText).toBe('Open an issue');
  });

  it('passes a request through untouched when nothing is deferred', () => {
    const toolbox = createToolbox({ tools: TOOLS, searcher: wordSearcher });
    const plan = toolbox.plan();
    expect(plan.kind).toBe('inline');
    const view = toolbox.view(plan, wire.recall(request, plan));
    expect(wire.render(request, view, () => '')).toEqual(request);
  });

  if (sample.whole !== undefined) {
    const { whole } = sample;
    it('takes a whole response apart and puts it together again', () => {
      const parts = sample.round({ items: [...DONE.items, call('a', 'read_file', { text: 'x' })], ending: 'calls' });
      const response = whole.together(parts);
      expect(whole.together(whole.apart(response))).toEqual(response);
      expect(sample.received(whole.apart(response))).toEqual(sample.received(parts));
    });
  }
}

function describeForm<Request, Part>(sample: WireSample<Request, Part>, form: Form): void {
  const { first, run } = script(sample, form);

  it('forwards plain text in one response, and keeps fields that it does not know', async () => {
    const { requests, received } = await run(first, [DONE]);
    expect(received).toMatchObject({
      text: 'All done.',
      calls: [],
      ending: sample.endings.done,
      openings: 1,
      closings: 1,
    });
    expect(JSON.stringify(requests[0])).toContain('kept');
  });

  it('shows what is never deferred, and hides what is', async () => {
    const { seen } = await run(first, [DONE]);
    expect(seen[0]?.tools).toContain('read_file');
    expect(seen[0]?.tools.includes('create_issue')).toBe(form.hidden !== 'omit');
  });

  it('keeps ids apart when the upstream repeats them from turn to turn', async () => {
    const again: ScriptedRound = { items: [call('call_0', 'read_file', { text: 'a' })], ending: 'calls' };
    const one = await run(first, [again]);
    const second = reply(sample, first, one);
    const two = await run(second, [again]);
    const ids = [...one.received.calls, ...two.received.calls].map((made) => made.id);
    expect(new Set(ids).size).toBe(2);
    const { seen } = await run(reply(sample, second, two), [DONE]);
    expect(unpaired(seen)).toEqual([]);
  });

  if (form.search === 'local') describeSearches(sample, form);
}

function describeSearches<Request, Part>(sample: WireSample<Request, Part>, form: Form): void {
  const { first, run } = script(sample, form);
  const search = (id: string, query: string): ScriptedItem => call(id, 'tool_search', { query });
  const use = (id: string, name: string): ScriptedItem =>
    form.invoke === 'wrapped'
      ? call(id, 'tool_call', { name, arguments: { text: 'x' } })
      : call(id, name, { text: 'x' });

  it('answers a search within the same response', async () => {
    const { requests, received, seen } = await run(first, [{ items: [search('c1', 'issue')], ending: 'calls' }, DONE]);
    expect(received).toMatchObject({
      text: 'All done.',
      calls: [],
      ending: sample.endings.done,
      openings: 1,
      closings: 1,
    });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).toContain('create_issue');
    expect(unpaired(seen)).toEqual([]);
  });

  it('answers searches that were made side by side', async () => {
    const script = [{ items: [search('c1', 'opens'), search('c2', 'message')], ending: 'calls' as const }, DONE];
    const { requests, received, seen } = await run(first, script);
    expect(received).toMatchObject({ text: 'All done.', calls: [] });
    expect(JSON.stringify(requests[1])).toContain('create_issue');
    expect(JSON.stringify(requests[1])).toContain('send_message');
    expect(unpaired(seen)).toEqual([]);
  });

  it('names a server that is down, with the reason, when nothing fits', async () => {
    const unavailable = [{ server: 'calendar', reason: 'it is restarting' }];
    const searching: ScriptedRound = { items: [search('c1', 'nowhere')], ending: 'calls' };
    const turn = await run(first, [searching, DONE], { unavailable });
    expect(JSON.stringify(turn.requests[1])).toContain('calendar');
    expect(JSON.stringify(turn.requests[1])).toContain('it is restarting');
    const again = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...again.seen])).toEqual([]);
  });

  it('searches for a new question, though the searches for the last one led nowhere', async () => {
    const misses = ['one', 'two', 'three', 'four', 'five'].map(
      (query): ScriptedRound => ({ items: [search(query, `${query} nowhere`)], ending: 'calls' }),
    );
    const one = await run(first, [...misses, DONE], { maxRounds: 6 });
    const searching: ScriptedRound = { items: [search('c1', 'message')], ending: 'calls' };
    const two = await run(reply(sample, first, one, 'And a message'), [searching, DONE]);
    expect(two.seen[1]?.messages.map(({ text }) => text).join('\n')).not.toContain('Do not search again');
    expect(JSON.stringify(two.requests[1])).toContain('send_message');
  });

  it("answers a search that it can't understand, and completes what it has begun", async () => {
    const wrong: ScriptedRound = { items: [call('c1', 'tool_search', {})], ending: 'calls' };
    const turn = await run(first, [wrong, DONE]);
    expect(turn.received).toMatchObject({ text: 'All done.', calls: [] });
    expect(JSON.stringify(turn.requests[1])).toContain('needs query');
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...seen])).toEqual([]);
  });

  it('hands a call to the client under the real name, with the real arguments', async () => {
    const script: ScriptedRound[] = [
      { items: [search('c1', 'opens')], ending: 'calls' },
      { items: [use('c2', 'create_issue')], ending: 'calls' },
    ];
    const { received } = await run(first, script);
    expect(received.calls).toMatchObject([{ name: 'create_issue', arguments: { text: 'x' } }]);
    expect(received.ending).toBe(sample.endings.calls);
  });

  it('answers a search made beside a real call, and leaves no call unanswered on replay', async () => {
    const both: ScriptedRound = {
      items: [call('c1', 'read_file', { text: 'a' }), search('c2', 'issue')],
      ending: 'calls',
    };
    const turn = await run(first, [both]);
    expect(turn.received.calls.map((one) => one.name)).toEqual(['read_file']);
    expect(turn.received.ending).toBe(sample.endings.calls);
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired(seen)).toEqual([]);
  });

  it('drops a search that was cut in the middle', async () => {
    const cut: ScriptedRound = {
      items: [
        { kind: 'text', text: 'Let me' },
        { kind: 'call', id: 'c1', name: 'tool_search', json: '{"query": "iss' },
      ],
      ending: 'cut',
    };
    const turn = await run(first, [cut]);
    expect(turn.received).toMatchObject({ text: 'Let me', calls: [], ending: sample.endings.cut, closings: 1 });
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired(seen)).toEqual([]);
  });

  it('keeps ids apart when the upstream repeats them from round to round', async () => {
    const script: ScriptedRound[] = [
      { items: [search('call_0', 'opens')], ending: 'calls' },
      { items: [search('call_0', 'message')], ending: 'calls' },
      { items: [use('call_0', 'create_issue')], ending: 'calls' },
    ];
    const turn = await run(first, script);
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...seen])).toEqual([]);
  });

  if (keepsPrefix(form)) {
    it('keeps the prefix to the byte over rounds and turns', async () => {
      const script: ScriptedRound[] = [
        { items: [search('c1', 'opens')], ending: 'calls' },
        { items: [use('c2', 'create_issue')], ending: 'calls' },
      ];
      const one = await run(first, script);
      const two = await run(reply(sample, first, one, 'And a message'), [
        { items: [search('c3', 'message')], ending: 'calls' },
        DONE,
      ]);
      expect(new Set([...one.seen, ...two.seen].map((seen) => seen.prefix)).size).toBe(1);
    });
  }

  it('renders a replayed turn with the bytes that the model has read', async () => {
    const one = await run(first, [
      { items: [search('c1', 'opens')], ending: 'calls' },
      { items: [use('c2', 'create_issue')], ending: 'calls' },
    ]);
    const two = await run(reply(sample, first, one), [DONE]);
    const read = one.seen.at(-1)?.messages ?? [];
    const replayed = two.seen[0]?.messages ?? [];
    if (sample.showsSearches)
      expect(replayed.slice(0, read.length).map(({ text }) => text)).toEqual(read.map(({ text }) => text));
    else expect(replayed[0]).toEqual(read[0]);
  });

  it('remembers from the messages alone', async () => {
    const one = await run(first, [
      { items: [search('c1', 'issue')], ending: 'calls' },
      { items: [use('c2', 'create_issue')], ending: 'calls' },
    ]);
    const memory = sample.wire.recall(reply(sample, first, one), one.plan);
    expect(memory.called).toEqual(['create_issue']);
    if (sample.showsSearches) {
      expect([...memory.revealed].sort()).toEqual(['close_issue', 'create_issue']);
      expect(memory.searches).toMatchObject([{ query: 'issue', found: 2 }]);
    }
  });

  it('forgets nothing else and breaks nothing when a found tool leaves the catalog', async () => {
    const one = await run(first, [
      { items: [search('c1', 'issue')], ending: 'calls' },
      { items: [use('c2', 'close_issue')], ending: 'calls' },
    ]);
    const tools = TOOLS.filter((tool) => tool.name !== 'create_issue');
    const { seen } = await run(reply(sample, first, one), [DONE], { tools });
    expect(seen[0]?.tools).not.toContain('create_issue');
    expect(unpaired(seen)).toEqual([]);
  });

  it('pauses at the round limit, and goes on when the pause is sent back', async () => {
    const searching: ScriptedRound = { items: [search('c1', 'opens')], ending: 'calls' };
    const paused = await run(first, [searching], { maxRounds: 1 });
    expect(paused.received.ending).toBe(sample.endings.pause);
    const { received, seen } = await run(reply(sample, first, paused), [DONE]);
    expect(received.text).toBe('All done.');
    expect(unpaired(seen)).toEqual([]);
  });
}

/** The first request of every test, and the way to run a scripted turn. */
function script<Request, Part>(
  sample: WireSample<Request, Part>,
  form: Form,
): {
  first: Request;
  run: (request: Request, rounds: readonly ScriptedRound[], extra?: Extra) => Promise<Run<Request, Part>>;
} {
  const first = freeze(sample.request({ text: 'Open an issue', tools: TOOLS, unknown: 'kept' }));
  return {
    first,
    run: (request, rounds, extra = {}) => runScript(sample, { request, form, script: rounds, ...extra }),
  };
}

interface Extra {
  readonly tools?: readonly Tool[];
  readonly unavailable?: readonly Unavailable[];
  readonly maxRounds?: number;
}

interface Run<Request, Part> {
  readonly plan: Plan;
  readonly parts: readonly Part[];
  readonly received: Received;
  /** What went upstream, round by round. */
  readonly requests: readonly Request[];
  readonly seen: readonly Seen[];
}

async function runScript<Request, Part>(
  sample: WireSample<Request, Part>,
  options: Extra & { readonly request: Request; readonly form: Form; readonly script: readonly ScriptedRound[] },
): Promise<Run<Request, Part>> {
  const toolbox = makeToolbox(options.tools ?? TOOLS, options.unavailable);
  const plan = toolbox.plan(undefined, { ...sample.planOptions, form: options.form });
  const requests: Request[] = [];
  const parts: Part[] = [];
  const loop = runLoop<Request, Part>({
    wire: sample.wire,
    toolbox,
    plan,
    request: freeze(options.request),
    maxRounds: options.maxRounds ?? 5,
    async *upstream(request) {
      const script = options.script[requests.length];
      requests.push(request);
      if (script === undefined) throw new Error(`The script has no round ${requests.length}`);
      yield* sample.round(script);
    },
  });
  for await (const part of loop) parts.push(part);
  const seen = requests.map((request) => sample.seen(request));
  return { plan, parts, received: sample.received(parts), requests, seen };
}

function makeToolbox(tools: readonly Tool[], unavailable: readonly Unavailable[] = []): Toolbox {
  return createToolbox({
    tools: createSnapshot(tools),
    searcher: wordSearcher,
    unavailable: () => unavailable,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
}

function reply<Request, Part>(
  sample: WireSample<Request, Part>,
  request: Request,
  turn: { readonly parts: readonly Part[]; readonly received: Received },
  text?: string,
): Request {
  const results = new Map(turn.received.calls.map((made) => [made.id, `Result of ${made.name}`]));
  return freeze(sample.next(request, turn.parts, { results, ...(text === undefined ? {} : { text }) }));
}

/** Calls without an answer before the next assistant message, and answers without a call, over all requests. */
function unpaired(requests: readonly Seen[]): readonly string[] {
  return requests.flatMap(({ messages }) => {
    const wrong: string[] = [];
    let open = new Set<string>();
    for (const message of messages) {
      if (message.role === 'assistant' || message.role === 'user') {
        if (message.answers.length === 0) {
          wrong.push(...[...open].map((id) => `${id} is unanswered`));
          open = new Set();
        }
      }
      for (const id of message.answers) if (!open.delete(id)) wrong.push(`${id} answers nothing`);
      for (const id of message.calls) {
        if (open.has(id)) wrong.push(`${id} is twice in a message`);
        open.add(id);
      }
    }
    return [...wrong, ...[...open].map((id) => `${id} is unanswered at the end`)];
  });
}

function call(id: string, name: string, input: unknown): ScriptedItem {
  return { kind: 'call', id, name, json: JSON.stringify(input) };
}

/** A wire never changes what it is given. */
function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** The forms that need nothing but functions. */
export const LOCAL_FORMS: Readonly<Record<string, Form>> = { stub: FORMS.stub, bridge: FORMS.bridge, load: FORMS.load };
