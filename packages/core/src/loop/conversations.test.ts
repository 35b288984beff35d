import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, FORMS, type Form, keepsPrefix, type Memory } from '../disclosure/index.ts';
import { sampleSnapshot, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import { createToolbox, type Toolbox } from '../dispatch/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { runLoop } from './run-loop.ts';
import { type TinyMessage, type TinyPart, type TinyRequest, tinyBlocks, tinyWire } from './tiny-wire.fixture.ts';

/** One turn: what the user says, and what the model does before it is done. */
interface Turn {
  readonly rounds: readonly (readonly Act[])[];
}

type Act = { readonly kind: 'search'; readonly query: string } | { readonly kind: 'use'; readonly name: string };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constantFrom('opens', 'closes', 'message', 'nothing of the kind').map((query): Act => ({ kind: 'search', query })),
  fc
    .constantFrom('github__create_issue', 'github__close_issue', 'slack__send_message', 'read_file')
    .map((name): Act => ({ kind: 'use', name })),
);
const turn: fc.Arbitrary<Turn> = fc.record({
  rounds: fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
});
const turns = fc.array(turn, { minLength: 1, maxLength: 3 });
const forms = fc.constantFrom(FORMS.stub, FORMS.bridge, FORMS.load);

function boxOver(tools = sampleTools()): Toolbox {
  return createToolbox({
    tools: sampleSnapshot(tools),
    searcher: wordSearcher,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
}

/** Ids repeat from round to round, as upstreams repeat them. */
function partFor(one: Act, index: number, form: Form): TinyPart {
  const id = `call_${index}`;
  if (one.kind === 'search')
    return { type: 'call', id, name: 'tool_search', piece: JSON.stringify({ query: one.query }) };
  const isWrapped = form.invoke === 'wrapped' && one.name !== 'read_file';
  const input = isWrapped ? { name: one.name, arguments: { text: 'x' } } : { text: 'x' };
  return { type: 'call', id, name: isWrapped ? 'tool_call' : one.name, piece: JSON.stringify(input) };
}

interface Talk {
  /** The conversation as the client holds it. */
  readonly request: TinyRequest;
  /** What went upstream. */
  readonly rendered: readonly TinyRequest[];
}

/** Plays a turn to its end: whenever the client has calls to answer it answers them, and the model goes on. */
async function play(talk: Talk, given: Turn, form: Form, toolbox: Toolbox): Promise<Talk> {
  const plan = toolbox.plan(undefined, { form });
  const rendered = [...talk.rendered];
  let request: TinyRequest = {
    ...talk.request,
    messages: [...talk.request.messages, { role: 'user', text: 'Please' }],
  };
  const rounds = [...given.rounds];
  for (;;) {
    const parts: TinyPart[] = [];
    const upstream = async function* (sent: TinyRequest): AsyncGenerator<TinyPart> {
      rendered.push(sent);
      const acts = rounds.shift() ?? [];
      yield* acts.map((one, index) => partFor(one, index, form));
      yield { type: 'end', reason: acts.length > 0 ? 'calls' : 'end', tokens: 1 };
    };
    for await (const part of runLoop({ wire: tinyWire, toolbox, plan, request, upstream })) parts.push(part);
    const blocks = tinyBlocks(parts);
    const results = blocks.flatMap((block): TinyMessage[] =>
      block.type === 'call' ? [{ role: 'tool', id: block.id, text: 'ok' }] : [],
    );
    request = { ...request, messages: [...request.messages, { role: 'assistant', blocks }, ...results] };
    if (results.length === 0) return { request, rendered };
  }
}

async function playAll(
  list: readonly Turn[],
  form: Form,
  start: Talk = START,
  toolbox: Toolbox = boxOver(),
): Promise<Talk> {
  let talk = start;
  for (const one of list) talk = await play(talk, one, form, toolbox);
  return talk;
}

const START: Talk = { request: { tools: [], messages: [] }, rendered: [] };

function recall(request: TinyRequest, form: Form, toolbox: Toolbox = boxOver()): Memory {
  return tinyWire.recall(request, toolbox.plan(undefined, { form }));
}

function prefixOf(request: TinyRequest): string {
  return JSON.stringify([request.system, request.tools]);
}

/** Every call is answered before the next assistant message, and every answer has its call. */
function isPaired(request: TinyRequest): boolean {
  let open: string[] = [];
  for (const message of request.messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.id)) return false;
      open = open.filter((id) => id !== message.id);
    } else if (open.length > 0) {
      return false;
    } else if (message.role === 'assistant') {
      open = message.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []));
    }
  }
  return open.length === 0;
}

describe('generated conversations', () => {
  it('keep the prefix byte for byte over all turns if the form promises it', async () => {
    await fc.assert(
      fc.asyncProperty(turns, forms, async (list, form) => {
        const { rendered } = await playAll(list, form);
        const prefixes = new Set(rendered.map(prefixOf));
        if (keepsPrefix(form)) expect(prefixes.size).toBe(1);
      }),
    );
  });

  it('send every call with its answer, however searches and real calls are mixed', async () => {
    await fc.assert(
      fc.asyncProperty(turns, forms, async (list, form) => {
        const { rendered } = await playAll(list, form);
        expect(rendered.every(isPaired)).toBe(true);
      }),
    );
  });

  it('only grow at the end if the form keeps the prefix', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.constantFrom(FORMS.stub, FORMS.bridge), async (list, form) => {
        const { rendered } = await playAll(list, form);
        const texts = rendered.map((request) => request.messages.map((message) => JSON.stringify(message)));
        for (const [index, later] of texts.entries()) {
          const earlier = texts[index - 1] ?? [];
          expect(later.slice(0, earlier.length)).toEqual(earlier);
        }
      }),
    );
  });

  it('resumed in another process, remember the same', async () => {
    await fc.assert(
      fc.asyncProperty(turns, forms, async (list, form) => {
        const { request } = await playAll(list, form);
        const copy: TinyRequest = JSON.parse(JSON.stringify(request));
        expect(recall(copy, form, boxOver())).toEqual(recall(request, form));
      }),
    );
  });

  it('forked, remember what the trunk knew and nothing of each other', async () => {
    await fc.assert(
      fc.asyncProperty(turns, turn, turn, forms, async (list, left, right, form) => {
        const trunk = await playAll(list, form);
        const known = recall(trunk.request, form);
        const alone = recall((await playAll([left], form, trunk)).request, form);
        await playAll([right], form, trunk);
        expect(recall((await playAll([left], form, trunk)).request, form)).toEqual(alone);
        expect(alone.revealed.slice(0, known.revealed.length)).toEqual(known.revealed);
        expect(recall(trunk.request, form)).toEqual(known);
      }),
      { numRuns: 50 },
    );
  });

  it('compacted, go on with what is left, and find again what was lost', async () => {
    await fc.assert(
      fc.asyncProperty(turns, turn, fc.nat(20), forms, async (list, next, drop, form) => {
        const { request } = await playAll(list, form);
        const compacted: TinyRequest = { ...request, messages: request.messages.slice(drop) };
        expect(recall({ ...request, messages: [] }, form)).toEqual(EMPTY_MEMORY);
        const after = await playAll([next], form, { request: compacted, rendered: [] });
        expect(after.rendered.every(isPaired)).toBe(true);
        const before = new Set(recall(request, form).revealed);
        expect(recall(compacted, form).revealed.every((name) => before.has(name))).toBe(true);
      }),
    );
  });

  it('with parallel results in another order, reveal the same', async () => {
    await fc.assert(
      fc.asyncProperty(turns, forms, async (list, form) => {
        const { request } = await playAll(list, form);
        const swapped = { ...request, messages: request.messages.map(swapResults) };
        expect(new Set(recall(swapped, form).revealed)).toEqual(new Set(recall(request, form).revealed));
      }),
    );
  });

  it('with the catalog edited in between, declare nothing that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(turns, turn, forms, async (list, next, form) => {
        const trunk = await playAll(list, form);
        const edited = boxOver(sampleTools().filter((tool) => tool.name !== 'create_issue'));
        const rounds = next.rounds
          .map((round) => round.filter((one) => one.kind === 'search'))
          .filter((round) => round.length > 0);
        const after = await playAll([{ rounds }], form, { ...trunk, rendered: [] }, edited);
        for (const request of after.rendered) {
          expect(request.tools.map((tool) => tool.name)).not.toContain('github__create_issue');
          expect(isPaired(request)).toBe(true);
        }
      }),
    );
  });
});

/** Results of searches side by side, in the opposite order. */
function swapResults(message: TinyMessage): TinyMessage {
  if (message.role !== 'assistant') return message;
  const found = message.blocks.filter((block) => block.type === 'found').toReversed();
  return {
    ...message,
    blocks: message.blocks.map((block) => (block.type === 'found' ? (found.shift() ?? block) : block)),
  };
}
