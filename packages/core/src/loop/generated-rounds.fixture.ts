import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Form, keepsPrefix } from '../disclosure/index.ts';
import {
  call,
  DONE,
  type Extra,
  reply,
  type ScriptedItem,
  type ScriptedRound,
  type Seen,
  script,
  unpaired,
  type WireSample,
} from '../testing/index.ts';
import { createTranscriptCache, type TranscriptStore } from './transcript.ts';

/** A call that the model makes, by what becomes of it. */
type Made = 'shown' | 'deferred' | 'miswritten' | 'refused' | 'unknown' | 'describe' | 'search' | 'missed' | 'broken';

interface MadeRound {
  /** Calls, with texts before and between them. */
  readonly items: readonly (Made | 'text')[];
  /** Whether the token limit ends the round inside one more call. */
  readonly isCut: boolean;
}

type Turn = readonly MadeRound[];

const made: fc.Arbitrary<Made> = fc.constantFrom(
  ...(['shown', 'deferred', 'miswritten', 'refused', 'unknown', 'describe', 'search', 'missed', 'broken'] as const),
);
const round: fc.Arbitrary<MadeRound> = fc.record({
  items: fc
    .array(fc.tuple(fc.nat(2), made), { minLength: 1, maxLength: 4 })
    .map((list) => list.flatMap(([chance, one]) => (chance === 0 ? (['text', one] as const) : [one]))),
  isCut: fc.nat(9).map((chance) => chance === 0),
});
const turn: fc.Arbitrary<Turn> = fc.array(round, { minLength: 1, maxLength: 3 });
const turns = fc.array(turn, { minLength: 1, maxLength: 3 });

/** How many conversations are played for each property: few with every change, many in a long run (`npm run check:rounds`). */
const LONG_RUN = process.env.QUARTERMASTER_CONVERSATIONS;
const CONVERSATIONS = Number(LONG_RUN ?? 6);
const RUNS = { numRuns: CONVERSATIONS };
const TIMEOUT_MS = 20_000 + 1_000 * CONVERSATIONS;

/** For the report of a long run. */
const played = { rounds: 0, calls: 0 };

interface Talk<Request> {
  /** The client's next request. */
  readonly request: Request;
  /** What went upstream. */
  readonly requests: readonly Request[];
  /** How many whole calls the model has made. */
  readonly calls: number;
}

/** What holds for rounds of parallel calls of every kind, in every wire and every form in which we search. */
export function describeRounds<Request, Part>(sample: WireSample<Request, Part>, form: Form): void {
  const { first, run } = script(sample, form);
  // Here, since files that share this module would report for the first of them alone.
  if (LONG_RUN !== undefined)
    afterAll(() => {
      console.log(`${played.rounds} rounds, ${played.calls} calls`);
      Object.assign(played, { rounds: 0, calls: 0 });
    });

  /** Plays a turn to its end: whenever there are calls for the client, it answers them, and the model goes on. */
  const play = async (talk: Talk<Request>, list: Turn, extra: PlayOptions): Promise<Talk<Request>> => {
    const left = [...list];
    const requests = [...talk.requests];
    let { request, calls } = talk;
    for (;;) {
      const ran = await run(request, [...left.map((one) => scriptRound(one, form)), DONE], { maxRounds: 3, ...extra });
      const answered = left.splice(0, ran.requests.length);
      for (const one of answered) {
        const count = callsOf(one).length;
        calls += count;
        played.rounds += 1;
        played.calls += count;
      }
      const names = ran.received.calls.map(({ name }) => name);
      // Once it was found, the client checks the arguments by itself.
      const isFound = names.includes('close_issue');
      // A round that hands over a call ends the response.
      const final = answered.at(-1);
      const givenIn = (made: MadeRound) => (one: Made) => handedOver(one, { form, isFound: isFound && made === final });
      expect(names).toEqual(answered.flatMap((made) => callsOf(made).flatMap(givenIn(made))));
      const isLast = answered.length < ran.requests.length;
      const expected = [...answered.map((made) => shownIn(made, givenIn(made))), ...(isLast ? ['All done.'] : [])].join(
        '',
      );
      expect(ran.received.order ?? expected).toBe(expected);
      requests.push(...ran.requests);
      const isDone = ran.received.calls.length === 0;
      const answering = extra.isReversed === true ? ran.received.calls.toReversed() : ran.received.calls;
      const received = { ...ran.received, calls: answering };
      const turn = { parts: ran.parts, received, refers: extra.refers };
      request = reply(sample, request, turn, isDone ? 'And now?' : undefined);
      if (extra.edit !== undefined) request = sample.withMessages(request, extra.edit(sample.messages(request)));
      if (isDone) return { request, requests, calls };
    }
  };
  const playAll = async (list: readonly Turn[], extra: PlayOptions): Promise<Talk<Request>> => {
    let talk: Talk<Request> = { request: first, requests: [], calls: 0 };
    // The last turn shows what the model has to read of those before.
    for (const one of [...list, []]) talk = await play(talk, one, extra);
    return talk;
  };
  const check = (talk: Talk<Request>): void => {
    const seen = talk.requests.map((request) => sample.seen(request));
    expect(unpaired(seen)).toEqual([]);
    expect(outOfOrder(seen)).toEqual([]);
    expect(repeated(seen)).toEqual([]);
  };
  const checkGrowth = ({ requests }: Talk<Request>): void => {
    const texts = requests.map((request) => sample.messages(request).map((message) => JSON.stringify(message)));
    for (const [index, later] of texts.entries()) {
      const earlier = texts[index - 1] ?? [];
      expect(later.slice(0, earlier.length)).toEqual(earlier);
    }
    const seen = requests.map((request) => sample.seen(request));
    if (keepsPrefix(form)) expect(new Set(seen.map(({ prefix }) => prefix)).size).toBe(1);
    for (const [index, later] of seen.entries()) {
      const earlier = seen[index - 1]?.tools ?? [];
      expect(later.tools.slice(0, earlier.length)).toEqual(earlier);
    }
  };

  describe('rounds of parallel calls', () => {
    for (const isWhole of sample.whole === undefined ? [false] : [false, true]) {
      const how = isWhole ? 'whole' : 'streamed';
      it(
        `${how}: each call has one answer, in order, and the next request begins with the bytes of the last`,
        async () => {
          await fc.assert(
            fc.asyncProperty(turns, async (list) => {
              const talk = await playAll(list, { isWhole, transcript: newStore() });
              check(talk);
              checkGrowth(talk);
              const last = talk.requests.at(-1);
              if (last !== undefined) expect(callsIn(sample.seen(last))).toHaveLength(talk.calls);
            }),
            RUNS,
          );
        },
        TIMEOUT_MS,
      );
    }

    if (sample.refer !== undefined) {
      it(
        'of clients that refer to responses by their ids: the same',
        async () => {
          await fc.assert(
            fc.asyncProperty(turns, turn, turn, async (list, left, right) => {
              const extra = { transcript: newStore(), refers: true };
              const trunk = await playAll(list, extra);
              const one = await play(trunk, left, extra);
              const other = await play(trunk, right, extra);
              for (const talk of [one, other]) {
                check(talk);
                checkGrowth(talk);
                const last = talk.requests.at(-1);
                if (last !== undefined) expect(callsIn(sample.seen(last)).length).toBeGreaterThanOrEqual(trunk.calls);
              }
            }),
            RUNS,
          );
        },
        TIMEOUT_MS,
      );
    }

    it(
      'resumed elsewhere and forked, read what the trunk has read',
      async () => {
        await fc.assert(
          fc.asyncProperty(turns, turn, turn, async (list, left, right) => {
            const transcript = newStore();
            const trunk = await playAll(list, { transcript });
            const copy: Request = JSON.parse(JSON.stringify(trunk.request));
            const one = await play(trunk, left, { transcript });
            const other = await play({ ...trunk, request: copy }, right, { transcript });
            for (const talk of [one, other]) {
              check(talk);
              checkGrowth(talk);
            }
          }),
          RUNS,
        );
      },
      TIMEOUT_MS,
    );

    const edits: Readonly<Record<string, PlayOptions>> = {
      'with results in another order': { isReversed: true },
      'with old results cut': { edit: cutResults },
    };
    for (const [what, options] of Object.entries(edits)) {
      it(
        `${what}, lose nothing and answer every call once`,
        async () => {
          await fc.assert(
            fc.asyncProperty(turns, async (list) => {
              const talk = await playAll(list, { transcript: newStore(), ...options });
              const seen = talk.requests.map((request) => sample.seen(request));
              expect([...unpaired(seen), ...repeated(seen)]).toEqual([]);
              const last = talk.requests.at(-1);
              if (last !== undefined) expect(callsIn(sample.seen(last))).toHaveLength(talk.calls);
            }),
            RUNS,
          );
        },
        TIMEOUT_MS,
      );
    }

    it(
      'compacted at any place, go on with what is left',
      async () => {
        await fc.assert(
          fc.asyncProperty(turns, turn, fc.nat(12), async (list, next, drop) => {
            const transcript = newStore();
            const trunk = await playAll(list, { transcript });
            const messages = sample.messages(trunk.request);
            const kept = messages.slice(Math.min(drop, messages.length - 1));
            const request = sample.withMessages(trunk.request, kept);
            const talk = await play({ request, requests: [], calls: 0 }, next, { transcript });
            check(talk);
            checkGrowth(talk);
          }),
          RUNS,
        );
      },
      TIMEOUT_MS,
    );

    it(
      'with a transcript that forgets, lose nothing that the messages hold',
      async () => {
        await fc.assert(
          fc.asyncProperty(turns, async (list) => {
            check(await playAll(list, { transcript: FORGETFUL }));
          }),
          RUNS,
        );
      },
      TIMEOUT_MS,
    );
  });
}

interface PlayOptions extends Extra {
  /** Whether the client gives results in the opposite order of the calls. */
  readonly isReversed?: boolean;
  /** What the client changes in its messages before it sends them. */
  readonly edit?: (messages: readonly unknown[]) => readonly unknown[];
}

/** As clients do to save tokens: all results but the latest. */
function cutResults(messages: readonly unknown[]): readonly unknown[] {
  const old = JSON.stringify(messages.slice(0, -1)).replaceAll('Result of', 'Cut result of');
  return [...JSON.parse(old), ...messages.slice(-1)];
}

const FORGETFUL: TranscriptStore = {
  keep: async () => undefined,
  find: async () => new Map(),
  forget: async () => undefined,
  replace: async () => false,
};

function newStore(): TranscriptStore {
  return createTranscriptCache().storeFor('client');
}

const TEXT = 'Let me see.';

function callsOf({ items }: MadeRound): readonly Made[] {
  return items.filter((item) => item !== 'text');
}

/** The call that the client gets, by its name. */
function handedOver(one: Made, { form, isFound }: { form: Form; isFound: boolean }): readonly string[] {
  switch (one) {
    case 'shown':
      return ['read_file'];
    case 'deferred':
      return ['create_issue'];
    case 'miswritten':
      return ['send_message'];
    case 'refused':
      return isFound && form.invoke === 'direct' ? ['close_issue'] : [];
    case 'unknown':
      return form.invoke === 'direct' ? ['no_such_tool'] : [];
    default:
      return [];
  }
}

/** What the client gets of a round, in the model's order. */
function shownIn({ items }: MadeRound, given: (one: Made) => readonly string[]): string {
  return items.flatMap((one) => (one === 'text' ? [TEXT] : given(one).map((name) => `<${name}>`))).join('');
}

/** Ids repeat from round to round, as upstreams repeat them. */
function scriptRound({ items, isCut }: MadeRound, form: Form): ScriptedRound {
  return {
    items: [
      ...items.map((one, index) =>
        one === 'text' ? ({ kind: 'text', text: TEXT } as const) : scriptCall(`call_${index}`, one, form),
      ),
      ...(isCut ? [{ kind: 'call', id: 'cut', name: 'tool_search', json: '{"query": "iss' } as const] : []),
    ],
    ending: isCut ? 'cut' : 'calls',
  };
}

function scriptCall(id: string, one: Made, form: Form): ScriptedItem {
  const use = (name: string, input: object): ScriptedItem =>
    form.invoke === 'wrapped' ? call(id, 'tool_call', { name, arguments: input }) : call(id, name, input);
  switch (one) {
    case 'shown':
      return call(id, 'read_file', { text: 'x' });
    case 'deferred':
      return use('create_issue', { text: 'x' });
    case 'miswritten':
      return use('Send_Message', { text: 'x' });
    case 'refused':
      return use('close_issue', { wrong: 1 });
    case 'unknown':
      return use('no_such_tool', { text: 'x' });
    case 'describe':
      return form.invoke === 'wrapped'
        ? call(id, 'tool_describe', { name: 'create_issue' })
        : call(id, 'tool_search', { query: 'message' });
    case 'search':
      return call(id, 'tool_search', { query: 'issue' });
    // An answer that quotes the query: read from the history again, it must be quoted in the same bytes.
    case 'missed':
      return call(id, 'tool_search', { queries: [' zeppelin ', 'zeppelin'] });
    case 'broken':
      return call(id, 'tool_search', {});
  }
}

function callsIn(seen: Seen): readonly string[] {
  return seen.messages.flatMap(({ calls }) => calls);
}

/** Answers that do not stand in the order of the calls before them. */
function outOfOrder(requests: readonly Seen[]): readonly string[] {
  return requests.flatMap(({ messages }) => {
    const wrong: string[] = [];
    let calls: string[] = [];
    let answers: string[] = [];
    const close = (): void => {
      if (calls.join() !== answers.join()) wrong.push(`${answers.join()} answer ${calls.join()}`);
      calls = [];
      answers = [];
    };
    for (const message of messages) {
      if (message.calls.length > 0 && answers.length > 0) close();
      calls.push(...message.calls);
      answers.push(...message.answers);
    }
    close();
    return wrong;
  });
}

function repeated(requests: readonly Seen[]): readonly string[] {
  return requests.flatMap((seen) => {
    const calls = callsIn(seen);
    return calls.filter((id, index) => calls.indexOf(id) !== index).map((id) => `${id} is there twice`);
  });
}
