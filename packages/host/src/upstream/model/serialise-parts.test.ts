import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BlockEvent, createPartSerialiser } from './serialise-parts.ts';

interface Block {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly pieces: readonly string[];
}

const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom('text', 'reasoning', 'call'),
  pieces: fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 4 }),
});

/** The parts of one block, in order. */
function partsOf({ kind, pieces }: Block, id: string): LanguageModelV4StreamPart[] {
  if (kind === 'call') {
    return [
      { type: 'tool-input-start', id, toolName: 'tool' },
      ...pieces.map((delta) => ({ type: 'tool-input-delta', id, delta }) as const),
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName: 'tool', input: pieces.join('') },
    ];
  }
  return [
    { type: `${kind}-start`, id },
    ...pieces.map((delta) => ({ type: `${kind}-delta`, id, delta }) as const),
    { type: `${kind}-end`, id },
  ];
}

/** Interleaves the blocks' parts as the picks say. */
function interleave(blocks: readonly Block[], picks: readonly number[]): LanguageModelV4StreamPart[] {
  const queues = blocks.map((one, index) => partsOf(one, `id${index}`));
  const parts: LanguageModelV4StreamPart[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const open = queues.filter((queue) => queue.length > 0);
    const part = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift();
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

function read(parts: readonly LanguageModelV4StreamPart[]): readonly BlockEvent[] {
  const serialiser = createPartSerialiser();
  return [...parts.flatMap((part) => serialiser.read(part)), ...serialiser.end()];
}

/** What each block came to, checking that one is open at a time. */
function blocksIn(events: readonly BlockEvent[]): { kind: string; text: string }[] {
  const blocks: { kind: string; text: string }[] = [];
  let isOpen = false;
  for (const event of events) {
    if (event.type === 'open') {
      expect(isOpen).toBe(false);
      isOpen = true;
      blocks.push({ kind: event.block.kind, text: '' });
    }
    if (event.type === 'delta') {
      expect(isOpen).toBe(true);
      const last = blocks.at(-1);
      if (last !== undefined) last.text += event.text;
    }
    if (event.type === 'close') isOpen = false;
  }
  expect(isOpen).toBe(false);
  return blocks;
}

it('returns complete blocks in the order of their starts, however they were interleaved', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 5 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      (blocks, picks) => {
        const parts = interleave(blocks, picks);
        const starts = parts.flatMap((part) => (part.type.endsWith('-start') && 'id' in part ? [part.id] : []));
        const expected = starts.map((id) => {
          const one = blocks[Number(id.slice(2))];
          return { kind: one?.kind, text: one?.pieces.join('') };
        });
        expect(blocksIn(read(parts))).toEqual(expected);
      },
    ),
  );
});

it('passes on the first open block without waiting for its end', () => {
  const serialiser = createPartSerialiser();
  serialiser.read({ type: 'text-start', id: 'a' });
  expect(serialiser.read({ type: 'text-delta', id: 'a', delta: 'Hi' })).toEqual([{ type: 'delta', text: 'Hi' }]);
});

it('accepts a complete call, after a start without deltas or without a start', () => {
  const call: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'c', toolName: 'tool', input: '{"a":1}' };
  const started = read([
    { type: 'tool-input-start', id: 'c', toolName: 'tool' },
    { type: 'tool-input-end', id: 'c' },
    call,
  ]);
  for (const events of [started, read([call])]) expect(blocksIn(events)).toEqual([{ kind: 'call', text: '{"a":1}' }]);
});

it('closes open blocks at the end of a stream', () => {
  expect(
    blocksIn(
      read([
        { type: 'text-start', id: 'a' },
        { type: 'reasoning-start', id: 'b' },
      ]),
    ),
  ).toHaveLength(2);
});

it('keeps the metadata of all pieces of a thought for its end', () => {
  const events = read([
    {
      type: 'reasoning-start',
      id: 'a',
      providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: null } },
    },
    { type: 'reasoning-end', id: 'a', providerMetadata: { openai: { reasoningEncryptedContent: 'secret' } } },
  ]);
  expect(events.at(-1)).toEqual({
    type: 'close',
    metadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'secret' } },
  });
});

it('keeps both of two calls that share an id, however their ends are put', () => {
  const [one = [], two = []] = ['1', '2'].map((piece) => partsOf({ kind: 'call', pieces: [piece] }, 'c1'));
  const expected = ['c1 1', 'c1_2 2'];
  const told = (parts: readonly LanguageModelV4StreamPart[]): readonly string[] =>
    read(parts)
      .map((event) => {
        if (event.type === 'open' && event.block.kind === 'call') return `${event.block.id} `;
        return event.type === 'delta' ? event.text : ';';
      })
      .join('')
      .split(';')
      .filter(Boolean);
  expect(told([...one, ...two])).toEqual(expected);
  expect(told([...one.slice(0, 2), ...two.slice(0, 2), ...one.slice(2), ...two.slice(2)])).toEqual(expected);
  expect(told([...one.slice(3), ...two.slice(3)])).toEqual(expected);
});
