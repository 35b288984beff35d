import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Form, keepsPrefix, type Plan } from '../disclosure/index.ts';
import {
  call,
  DONE,
  type Extra,
  reply,
  type ScriptedItem,
  type ScriptedRound,
  type Seen,
  script,
  TOOLS,
  unpaired,
  type WireSample,
} from '../testing/index.ts';

/** What the model does before it is done with a message of the user's, round by round. */
type Turn = readonly (readonly Act[])[];

type Act = { readonly kind: 'search'; readonly query: string } | { readonly kind: 'use'; readonly name: string };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constantFrom('opens', 'issue', 'message', 'nowhere').map((query): Act => ({ kind: 'search', query })),
  fc.constantFrom('create_issue', 'send_message', 'read_file').map((name): Act => ({ kind: 'use', name })),
);
const turn: fc.Arbitrary<Turn> = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
const turns = fc.array(turn, { minLength: 1, maxLength: 3 });
const RUNS = { numRuns: 8 };

interface Talk<Request> {
  /** The client's next request. */
  readonly request: Request;
  readonly seen: readonly Seen[];
  readonly plan: Plan | undefined;
}

/** Properties of whole conversations, which every wire has in every form in which we search. */
export function describeTalks<Request, Part>(sample: WireSample<Request, Part>, form: Form): void {
  const { first, run } = script(sample, form);

  /** Plays a turn to its end: whenever there are calls for the client, it answers them, and the model goes on. */
  const play = async (talk: Talk<Request>, acts: Turn, extra: PlayOptions = {}): Promise<Talk<Request>> => {
    const rounds = acts.map((round) => scriptRound(round, form));
    let { request } = talk;
    const seen = [...talk.seen];
    for (;;) {
      const ran = await run(request, [...rounds, DONE], extra);
      rounds.splice(0, ran.requests.length);
      seen.push(...ran.seen);
      const calls = extra.isReversed === true ? ran.received.calls.toReversed() : ran.received.calls;
      const isDone = calls.length === 0;
      const received = { ...ran.received, calls };
      request = reply(sample, request, { parts: ran.parts, received }, isDone ? 'And now?' : undefined);
      if (isDone) return { request, seen, plan: ran.plan };
    }
  };
  const playAll = async (list: readonly Turn[], extra: PlayOptions = {}): Promise<Talk<Request>> => {
    let talk: Talk<Request> = { request: first, seen: [], plan: undefined };
    for (const acts of list) talk = await play(talk, acts, extra);
    return talk;
  };
  const recall = (request: Request, { plan }: Talk<Request>): ReturnType<typeof sample.wire.recall> => {
    if (plan === undefined) throw new Error('Nothing was played');
    return sample.wire.recall(request, plan);
  };

  describe('generated conversations', () => {
    it('send every call with its answer, and keep the prefix byte for byte if the form promises it', async () => {
      await fc.assert(
        fc.asyncProperty(turns, async (list) => {
          const { seen } = await playAll(list);
          expect(unpaired(seen)).toEqual([]);
          if (keepsPrefix(form)) expect(new Set(seen.map(({ prefix }) => prefix)).size).toBe(1);
        }),
        RUNS,
      );
    });

    if (sample.showsSearches) {
      it('are read by the model as they were read before, to the byte', async () => {
        await fc.assert(
          fc.asyncProperty(turns, async (list) => {
            const { seen } = await playAll(list);
            const read = seen.map(({ messages }) => messages.map(({ text }) => text).join('\n'));
            for (const [index, later] of read.entries()) expect(later.startsWith(read[index - 1] ?? '')).toBe(true);
          }),
          RUNS,
        );
      });
    }

    it('resumed or played again from the same messages, remember and send the same', async () => {
      await fc.assert(
        fc.asyncProperty(turns, turn, turn, async (list, left, right) => {
          const trunk = await playAll(list);
          const copy: Request = JSON.parse(JSON.stringify(trunk.request));
          expect(recall(copy, trunk)).toEqual(recall(trunk.request, trunk));
          const once = await play({ ...trunk, seen: [] }, left);
          await play(trunk, right);
          const again = await play({ ...trunk, request: copy, seen: [] }, left);
          expect([again.request, again.seen]).toEqual([once.request, once.seen]);
        }),
        RUNS,
      );
    });

    it('with results in another order, remember the same', async () => {
      await fc.assert(
        fc.asyncProperty(turns, async (list) => {
          const straight = await playAll(list);
          const reversed = await playAll(list, { isReversed: true });
          expect(unpaired(reversed.seen)).toEqual([]);
          expect(recall(reversed.request, reversed)).toEqual(recall(straight.request, straight));
        }),
        RUNS,
      );
    });

    it('compacted at any place, go on with what is left', async () => {
      await fc.assert(
        fc.asyncProperty(turns, turn, fc.nat(12), async (list, next, drop) => {
          const trunk = await playAll(list);
          const messages = sample.messages(trunk.request);
          const kept = messages.slice(Math.min(drop, messages.length - 1));
          const compacted = sample.withMessages(trunk.request, kept);
          const before = recall(trunk.request, trunk);
          const memory = recall(compacted, trunk);
          expect(before.revealed).toEqual(expect.arrayContaining([...memory.revealed]));
          expect(before.called).toEqual(expect.arrayContaining([...memory.called]));
          const { seen } = await play({ ...trunk, request: compacted, seen: [] }, next);
          expect(unpaired(seen)).toEqual([]);
          if (form.reveal === 'append') for (const name of memory.called) expect(seen[0]?.tools).toContain(name);
        }),
        RUNS,
      );
    });

    it('with a tool gone from the catalog, declare it no more and break nothing', async () => {
      await fc.assert(
        fc.asyncProperty(turns, turn, async (list, next) => {
          const trunk = await playAll(list);
          const searches = next.map((round) => round.filter(({ kind }) => kind === 'search'));
          const tools = TOOLS.filter(({ name }) => name !== 'create_issue');
          const { seen } = await play(
            { ...trunk, seen: [] },
            searches.filter((round) => round.length > 0),
            { tools },
          );
          for (const { tools: declared } of seen) expect(declared).not.toContain('create_issue');
          expect(unpaired(seen)).toEqual([]);
        }),
        RUNS,
      );
    });
  });
}

interface PlayOptions extends Extra {
  /** Whether the client gives results in the opposite order of the calls. */
  readonly isReversed?: boolean;
}

/** Ids repeat from round to round, as upstreams repeat them. */
function scriptRound(acts: readonly Act[], form: Form): ScriptedRound {
  const items = acts.map((one, index): ScriptedItem => {
    const id = `call_${index}`;
    if (one.kind === 'search') return call(id, 'tool_search', { query: one.query });
    const input = { text: 'x' };
    const isWrapped = form.invoke === 'wrapped' && one.name !== 'read_file';
    return isWrapped ? call(id, 'tool_call', { name: one.name, arguments: input }) : call(id, one.name, input);
  });
  return { items, ending: 'calls' };
}
