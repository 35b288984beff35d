import { statSync } from 'node:fs';
import { createTool, searchText, type ToolExtras } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { embeddedModel, readModel } from './embedded-model.ts';

describe('embeddedModel', () => {
  const similarity = (left: string, right: string): number => {
    const [a, b] = [embeddedModel().query(left), embeddedModel().query(right)];
    return a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0);
  };

  it('is read once', () => {
    expect(embeddedModel()).toBe(embeddedModel());
  });

  it('fits into 10 MB', () => {
    expect(statSync(new URL('../model/tools-static-v6.bin', import.meta.url)).size).toBeLessThanOrEqual(10_000_000);
  });

  it.each([
    ['let everybody in the team know about the outage', 'send a message to a channel', 'read a file from disk'],
    ['will I need an umbrella tomorrow', 'weather forecast for a location', 'create an invoice'],
    ['give the customer his money back', 'refund a payment', 'list the branches of a repository'],
  ])('holds «%s» nearer to «%s» than to «%s»', (request, near, far) => {
    expect(similarity(request, near)).toBeGreaterThan(similarity(request, far));
  });

  it('reads the search hint of a tool however long its description is', () => {
    const description = 'Processes the record in the ledger according to the configured rules. '.repeat(30);
    const vectorOf = (extras: ToolExtras) =>
      embeddedModel().tool(searchText(createTool({ name: 'process', description, extras })));
    const request = embeddedModel().query('give the customer his money back');
    const nearness = (vector: Float32Array) => vector.reduce((sum, value, i) => sum + value * (request[i] ?? 0), 0);
    expect(nearness(vectorOf({ searchHint: 'return money to a customer' }))).toBeGreaterThan(nearness(vectorOf({})));
  });

  it('refuses a file whose length is not what its header promises', () => {
    const header = new TextEncoder().encode('{"modelId":"x","dimensions":2,"pieces":"a\\nb"}');
    const bytes = new Uint8Array(4 + header.length + 3);
    new DataView(bytes.buffer).setUint32(0, header.length, true);
    bytes.set(header, 4);
    expect(() => readModel(bytes)).toThrow(/header promises/);
  });
});
