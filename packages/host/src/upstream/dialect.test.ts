import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName, type PartOf, type ResponseOf } from './dialect.ts';
import { SAMPLES } from './dialect-samples.fixture.ts';
import { INLINE_PLAN } from './inline-plan.fixture.ts';

const NAMES = Object.keys(DIALECTS) as DialectName[];
const JUNK = [null, 5, 'x', '', true, {}, [], [null], ['x'], [{}], { type: null }];

/** The value with junk in place of each of its fields, one at a time, at every depth; and without the field. */
function* spoiled(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const put = (inner: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
    const { [key]: inner, ...without } = value as Readonly<Record<string, unknown>>;
    if (!Array.isArray(value)) yield without;
    for (const junk of JUNK) yield put(junk);
    for (const deeper of spoiled(inner)) yield put(deeper);
  }
}

/** What happens to the parts of a response on their way to a client. */
function carry<D extends DialectName>(dialect: D, parts: readonly PartOf<D>[], holds: boolean): void {
  const { wire, request } = SAMPLES[dialect];
  const reader = wire.reader(() => holds, INLINE_PLAN);
  const writer = wire.writer(request, INLINE_PLAN);
  const sent: PartOf<D>[] = [];
  for (const read of [...parts.flatMap((part) => reader.read(part)), ...reader.end()]) {
    if (read.kind === 'forward') sent.push(...writer.forward(read.part));
    if (read.kind === 'held') sent.push(...writer.hold(read.call));
    if (read.kind === 'close') writer.close(read.part);
  }
  DIALECTS[dialect].whole.fromParts([...sent, ...writer.finish('done')]);
}

describe.each(NAMES)('an answer of %s', (dialect) => {
  const { parts } = SAMPLES[dialect];
  const whole = DIALECTS[dialect].whole.fromParts(parts as never);

  it('is valid as it should be', () => {
    expect(parts.map((part) => DIALECTS[dialect].endpoint.problemInPart(part as JsonObject))).toEqual(
      parts.map(() => undefined),
    );
    expect(DIALECTS[dialect].endpoint.problemInWhole(whole as JsonObject)).toBeUndefined();
  });

  it('is rejected in its stream or carried to the client, whatever replaces a field', () => {
    for (const [index, part] of parts.entries()) {
      for (const bad of spoiled(part)) {
        if (!isJsonObject(bad) || DIALECTS[dialect].endpoint.problemInPart(bad) !== undefined) continue;
        const stream = (parts as readonly unknown[]).with(index, bad) as never;
        for (const holds of [true, false]) {
          expect(() => carry(dialect, stream, holds), JSON.stringify(bad)).not.toThrow();
        }
      }
    }
  });

  it('is rejected as a whole or carried to the client, whatever replaces a field', () => {
    for (const bad of spoiled(whole)) {
      if (!isJsonObject(bad) || DIALECTS[dialect].endpoint.problemInWhole(bad) !== undefined) continue;
      expect(
        () => carry(dialect, DIALECTS[dialect].whole.toParts(bad as ResponseOf<DialectName> as never), true),
        JSON.stringify(bad),
      ).not.toThrow();
    }
  });
});

describe('a fault', () => {
  it.each<[DialectName, JsonObject, string]>([
    ['anthropic', {}, 'content is not a list of objects'],
    ['anthropic', { content: {} }, 'content is not a list of objects'],
    ['anthropic', { content: [null] }, 'content is not a list of objects'],
    ['openai-chat', {}, 'choices is not a list of objects'],
    ['openai-chat', { choices: [] }, 'choices is empty'],
    ['openai-chat', { choices: [{ index: 0 }] }, 'message is not an object'],
    ['openai-chat', { choices: [{ message: null }] }, 'message is not an object'],
    ['openai-chat', { choices: [{ message: { tool_calls: 5 } }] }, 'tool_calls is not a list of objects'],
    ['openai-responses', {}, 'output is not a list of objects'],
    ['openai-responses', { output: 'x' }, 'output is not a list of objects'],
  ])('of %s in the whole response %j is reported', (dialect, answer, told) => {
    expect(DIALECTS[dialect].endpoint.problemInWhole(answer)).toBe(told);
  });

  it.each<[DialectName, JsonObject, string | undefined]>([
    ['anthropic', {}, 'type is not a string'],
    ['anthropic', { type: 'message_start', message: null }, 'message of message_start is not an object'],
    ['anthropic', { type: 'error', error: 'Busy' }, 'error of error is not an object'],
    ['anthropic', { type: 'constructor' }, undefined],
    ['openai-chat', { choices: [null] }, 'choices is not a list of objects'],
    ['openai-chat', { choices: {} }, 'choices is not a list of objects'],
    ['openai-chat', { choices: null }, undefined],
    ['openai-chat', { choices: [{ delta: null }] }, undefined],
    ['openai-chat', { choices: [{ delta: { tool_calls: [{ function: 'x' }] } }] }, 'a call is not an object'],
    ['openai-responses', { item: {} }, 'type is not a string'],
    ['openai-responses', { type: 'response.completed', response: null }, 'response is not an object'],
    ['openai-responses', { type: 'response.output_item.added', item: null }, 'item is not an object'],
  ])('of %s in the part %j is %s', (dialect, part, told) => {
    expect(DIALECTS[dialect].endpoint.problemInPart(part)).toBe(told);
  });
});
