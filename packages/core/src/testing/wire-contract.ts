import type { Tool } from '../catalog/index.ts';
import { FORMS, type Form, keepsPrefix } from '../disclosure/index.ts';
import { createToolbox } from '../dispatch/index.ts';
import { call, DONE, freeze, reply, script, TOOLS, textTool, unpaired } from './scripted-run.ts';
import type { TestFramework } from './test-framework.ts';
import type { ScriptedItem, ScriptedRound, WireSample } from './wire-sample.ts';
import { wordSearcher } from './word-searcher.ts';

/**
 * The contract of a wire, in every form that it supports: the suite that the wires of `@quartermaster/wires` run. The sample is the
 * protocol's client and upstream, as simple as possible.
 *
 * @example
 * describeWire({ describe, it, expect }, { wire: myWire, forms: LOCAL_FORMS, request, round, received, next, seen, ... });
 */
export function describeWire<Request, Part>(test: TestFramework, sample: WireSample<Request, Part>): void {
  test.describe(`the wire ${sample.wire.dialect}`, () => {
    describeOpen(test, sample);
    for (const [name, form] of Object.entries(sample.forms)) {
      test.describe(`in the form ${name}`, () => describeForm(test, sample, form));
    }
  });
}

function describeOpen<Request, Part>({ it, expect }: TestFramework, sample: WireSample<Request, Part>): void {
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
      const parts = sample.round(calling(...DONE.items, call('a', 'read_file', { text: 'x' })));
      const response = whole.fromParts(parts);
      expect(whole.fromParts(whole.toParts(response))).toEqual(response);
      expect(sample.received(whole.toParts(response))).toEqual(sample.received(parts));
    });
  }
}

/** A round of items, the last of which are calls. */
function calling(...items: readonly ScriptedItem[]): ScriptedRound {
  return { items, ending: 'calls' };
}

const ONLY_TEXT = { text: 'All done.', calls: [], openings: 1, closings: 1 };

function describeForm<Request, Part>(test: TestFramework, sample: WireSample<Request, Part>, form: Form): void {
  const { it, expect } = test;
  const { first, run } = script(sample, form);

  it('forwards plain text in one response, and keeps fields that it does not know', async () => {
    const { requests, received } = await run(first, [DONE]);
    expect(received).toMatchObject({ ...ONLY_TEXT, ending: sample.endings.done });
    expect(JSON.stringify(requests[0])).toContain('kept');
  });

  it('shows what is never deferred, and hides what is', async () => {
    const { seen } = await run(first, [DONE]);
    expect(seen[0]?.tools).toContain('read_file');
    expect(seen[0]?.tools.includes('create_issue')).toBe(form.hidden !== 'omit');
  });

  it('keeps ids apart when the upstream repeats them from turn to turn', async () => {
    const again = calling(call('call_0', 'read_file', { text: 'a' }));
    const one = await run(first, [again]);
    const second = reply(sample, first, one);
    const two = await run(second, [again]);
    const ids = [...one.received.calls, ...two.received.calls].map((made) => made.id);
    expect(new Set(ids).size).toBe(2);
    const { seen } = await run(reply(sample, second, two), [DONE]);
    expect(unpaired(seen)).toEqual([]);
  });

  if (form.search === 'local') describeSearches(test, sample, form);
}

function describeSearches<Request, Part>(test: TestFramework, sample: WireSample<Request, Part>, form: Form): void {
  const { it, expect } = test;
  const { first, run } = script(sample, form);
  const search = (id: string, query: string): ScriptedItem => call(id, 'tool_search', { query });
  const use = (id: string, name: string): ScriptedItem =>
    form.invoke === 'wrapped'
      ? call(id, 'tool_call', { name, arguments: { text: 'x' } })
      : call(id, name, { text: 'x' });
  const searchAndUse = [calling(search('c1', 'opens')), calling(use('c2', 'create_issue'))];

  it('answers a search within the same response', async () => {
    const { requests, received, seen } = await run(first, [calling(search('c1', 'issue')), DONE]);
    expect(received).toMatchObject({ ...ONLY_TEXT, ending: sample.endings.done });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).toContain('create_issue');
    expect(unpaired(seen)).toEqual([]);
  });

  it('answers searches that were made side by side', async () => {
    const script = [calling(search('c1', 'opens'), search('c2', 'message')), DONE];
    const { requests, received, seen } = await run(first, script);
    expect(received).toMatchObject({ text: 'All done.', calls: [] });
    expect(JSON.stringify(requests[1])).toContain('create_issue');
    expect(JSON.stringify(requests[1])).toContain('send_message');
    expect(unpaired(seen)).toEqual([]);
  });

  if (form.hidden === 'omit') {
    const mail = (server: string): Tool => textTool({ name: 'mail', server, description: 'Sends a mail.' });
    const mailed = async (): Promise<readonly string[]> => {
      const searching = calling(call('c1', 'tool_search', { query: 'mail', limit: 1 }));
      const tools = [...TOOLS, mail('work'), mail('home')];
      const { seen } = await run(first, [searching, DONE], { tools });
      const read = seen[1]?.messages.map(({ text }) => text).join('\n') ?? '';
      return ['home__mail', 'work__mail'].filter((name) => read.includes(name));
    };
    if (form.reveal === 'native') {
      it('loads what was found alone, though another server has the same tool', async () => {
        expect(await mailed()).toHaveLength(1);
      });
    } else {
      it('names the same tool at another server in addition to what was found', async () => {
        expect(await mailed()).toEqual(['home__mail', 'work__mail']);
      });
    }
  }

  it('names a server that is down, with the reason, when nothing fits', async () => {
    const unavailable = [{ server: 'calendar', reason: 'it is restarting' }];
    const searching = calling(search('c1', 'nowhere'));
    const turn = await run(first, [searching, DONE], { unavailable });
    expect(JSON.stringify(turn.requests[1])).toContain('calendar');
    expect(JSON.stringify(turn.requests[1])).toContain('it is restarting');
    const again = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...again.seen])).toEqual([]);
  });

  it('searches for a new question, though the searches for the last one led nowhere', async () => {
    const words = ['one', 'two', 'three', 'four', 'five'];
    const misses = words.map((query) => calling(search(query, `${query} nowhere`)));
    const one = await run(first, [...misses, DONE], { maxRounds: 6 });
    const searching = calling(search('c1', 'message'));
    const two = await run(reply(sample, first, one, 'And a message'), [searching, DONE]);
    expect(two.seen[1]?.messages.map(({ text }) => text).join('\n')).not.toContain('Do not search again');
    expect(JSON.stringify(two.requests[1])).toContain('send_message');
  });

  it("answers a search that it can't understand, and completes what it has begun", async () => {
    const wrong = calling(call('c1', 'tool_search', {}));
    const turn = await run(first, [wrong, DONE]);
    expect(turn.received).toMatchObject({ text: 'All done.', calls: [] });
    expect(JSON.stringify(turn.requests[1])).toContain('needs query');
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...seen])).toEqual([]);
  });

  it('passes a call to the client under the real name, with the real arguments', async () => {
    const { received } = await run(first, searchAndUse);
    expect(received.calls).toMatchObject([{ name: 'create_issue', arguments: { text: 'x' } }]);
    expect(received.ending).toBe(sample.endings.calls);
  });

  it('answers a search made beside a real call, and leaves no call unanswered on replay', async () => {
    const both = calling(call('c1', 'read_file', { text: 'a' }), search('c2', 'issue'));
    const turn = await run(first, [both]);
    expect(turn.received.calls.map((one) => one.name)).toEqual(['read_file']);
    expect(turn.received.ending).toBe(sample.endings.calls);
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired(seen)).toEqual([]);
  });

  const before = call('a', 'read_file', { text: 'a' });
  const after = call('z', 'read_file', { text: 'z' });
  const parallel: Readonly<Record<string, readonly ScriptedItem[]>> = {
    'a deferred tool before one that is shown': [use('c1', 'create_issue'), after],
    'a deferred tool between two that are shown': [before, use('c1', 'create_issue'), after],
    'a search before both': [search('c0', 'issue'), after, use('c1', 'create_issue')],
    'a refused call before one that is shown': [call('c0', 'tool_search', {}), after],
    'texts around a deferred tool': [
      { kind: 'text', text: 'First. ' },
      use('c1', 'create_issue'),
      { kind: 'text', text: 'Then. ' },
      after,
    ],
  };
  for (const isWhole of sample.whole === undefined ? [false] : [false, true]) {
    for (const [what, items] of Object.entries(parallel)) {
      it(`hands over calls in the model's order, ${isWhole ? 'whole' : 'streamed'}: ${what}`, async () => {
        const { received } = await run(first, [calling(...items)], { isWhole });
        const expected = items.flatMap((item) => {
          if (item.kind === 'text') return [item.text];
          if (item.name === 'tool_search') return [];
          return [item.name === 'read_file' ? '<read_file>' : '<create_issue>'];
        });
        expect(received.calls.map(({ name }) => `<${name}>`)).toEqual(expected.filter((one) => one.startsWith('<')));
        expect(received.order ?? expected.join('')).toBe(expected.join(''));
        const ids = received.calls.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      });
    }
  }

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
    const items = [search('call_0', 'opens'), search('call_0', 'message'), use('call_0', 'create_issue')];
    const turn = await run(
      first,
      items.map((item) => calling(item)),
    );
    const { seen } = await run(reply(sample, first, turn), [DONE]);
    expect(unpaired([...turn.seen, ...seen])).toEqual([]);
  });

  if (form.hidden === 'stub') {
    it('shows the beginning of a long description in a stub, and the rest in the answer to a search', async () => {
      const long = `Archives a channel. ${'Needs the owner. '.repeat(30)}Spares the pinned.`;
      const tools = [...TOOLS, textTool({ name: 'archive_channel', description: long })];
      const turn = await run(first, [calling(search('c1', 'archives')), DONE], { tools });
      expect(turn.seen[0]?.prefix).toContain('Archives a channel. Needs the owner.');
      expect(turn.seen[0]?.prefix).toContain('Needs the owner. …');
      expect(JSON.stringify(turn.requests[0])).not.toContain('Spares the pinned.');
      expect(JSON.stringify(turn.requests[1])).toContain('Needs the owner. Spares the pinned.');
      expect(turn.seen[1]?.prefix).toBe(turn.seen[0]?.prefix);
    });
  }

  if (keepsPrefix(form)) {
    it('keeps the prefix to the byte over rounds and turns', async () => {
      const one = await run(first, searchAndUse);
      const searching = calling(search('c3', 'message'));
      const two = await run(reply(sample, first, one, 'And a message'), [searching, DONE]);
      expect(new Set([...one.seen, ...two.seen].map((seen) => seen.prefix)).size).toBe(1);
    });
  }

  it('renders a replayed turn with the bytes that the model has read', async () => {
    const one = await run(first, searchAndUse);
    const two = await run(reply(sample, first, one), [DONE]);
    const read = one.seen.at(-1)?.messages ?? [];
    const replayed = two.seen[0]?.messages ?? [];
    if (sample.showsSearches)
      expect(replayed.slice(0, read.length).map(({ text }) => text)).toEqual(read.map(({ text }) => text));
    else expect(replayed[0]).toEqual(read[0]);
  });

  it('remembers from the messages alone', async () => {
    const one = await run(first, [calling(search('c1', 'issue')), calling(use('c2', 'create_issue'))]);
    const memory = sample.wire.recall(reply(sample, first, one), one.plan);
    expect(memory.called).toEqual(['create_issue']);
    if (sample.showsSearches) {
      expect([...memory.revealed].sort()).toEqual(['close_issue', 'create_issue']);
      expect(memory.searches).toMatchObject([{ query: 'issue', found: 2 }]);
    }
  });

  it('forgets nothing else and breaks nothing when a found tool leaves the catalog', async () => {
    const one = await run(first, [calling(search('c1', 'issue')), calling(use('c2', 'close_issue'))]);
    const tools = TOOLS.filter((tool) => tool.name !== 'create_issue');
    const { seen } = await run(reply(sample, first, one), [DONE], { tools });
    expect(seen[0]?.tools).not.toContain('create_issue');
    expect(unpaired(seen)).toEqual([]);
  });

  it('pauses at the round limit, and goes on when the pause is sent back', async () => {
    const searching = calling(search('c1', 'opens'));
    const paused = await run(first, [searching], { maxRounds: 1 });
    expect(paused.received.ending).toBe(sample.endings.pause);
    const { received, seen } = await run(reply(sample, first, paused), [DONE]);
    expect(received.text).toBe('All done.');
    expect(unpaired(seen)).toEqual([]);
  });
}

/** The forms that need nothing but functions. */
export const LOCAL_FORMS: Readonly<Record<string, Form>> = { stub: FORMS.stub, bridge: FORMS.bridge, load: FORMS.load };
