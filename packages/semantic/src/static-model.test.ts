import type { SearchText } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { createStaticModel } from './static-model.ts';

const TEXT: SearchText = {
  name: 'send_mail',
  server: '',
  description: '',
  parameterNames: [],
  parameterDescriptions: [],
  enumValues: [],
};

describe('createStaticModel', () => {
  const model = createStaticModel({
    modelId: 'test',
    dimensions: 2,
    fields: { name: 2, server: 1, description: 1, parameters: 1, details: 1 },
    pieces: ['send', 'mail', 'weather'],
    scales: Float32Array.of(0.1, 0.1, 0.2),
    rows: Int8Array.of(10, 0, 0, 10, -5, 0),
  });

  it('gives a request the sum of its pieces, at unit length', () => {
    const half = Math.SQRT1_2;
    expect([...model.query('Send mail')]).toEqual([expect.closeTo(half), expect.closeTo(half)]);
    expect([...model.query('weather, weather!')]).toEqual([-1, 0]);
  });

  it('gives a text without a known word the zero vector', () => {
    expect([...model.query('')]).toEqual([0, 0]);
    expect([...model.query('xyzzy 42')]).toEqual([0, 0]);
  });

  it('forgets one text before it reads the next', () => {
    const before = [...model.query('mail')];
    model.query('weather send');
    expect([...model.query('mail')]).toEqual(before);
  });

  it('weighs the fields of a tool, each divided by the root of its length', () => {
    const [x = 0, y = 0] = model.tool({ ...TEXT, description: 'weather' });
    // name: 2/√2 for each of two pieces; description: 1 for a piece of length 1 to the left.
    expect(x / y).toBeCloseTo((Math.SQRT2 - 1) / Math.SQRT2);
  });

  it('does not count the server a second time where the name starts with it', () => {
    const alone = model.tool({ ...TEXT, name: 'weather', server: 'Mail' });
    expect([...model.tool({ ...TEXT, name: 'Mail_weather', server: 'Mail' })]).toEqual([...alone]);
  });
});
