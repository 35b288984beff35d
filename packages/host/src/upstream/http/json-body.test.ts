import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeSeal } from '../internal/seal.ts';
import { writeBody, writeRequest } from './post.ts';

const text = (body: string | Uint8Array): string => (typeof body === 'string' ? body : new TextDecoder().decode(body));
const TOOLS = Array.from({ length: 12 }, (_, index) => ({ name: `tool_${index}`, description: 'ä € 𝄞 "quoted"' }));

describe('the body of a request', () => {
  it('is the text of the request, even if its tools are cached', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (one, two) => {
          const tools = [...TOOLS];
          const body = { ...one, tools, ...two };
          for (let time = 0; time < 3; time += 1) expect(text(writeBody(body))).toBe(JSON.stringify(body));
        },
      ),
    );
  });

  it('has no field that is undefined, before or after its tools', () => {
    const tools = [...TOOLS];
    const body = { system: undefined, tools, stream: undefined };
    writeBody(body);
    expect(text(writeBody(body))).toBe(JSON.stringify({ tools }));
  });

  it('has new tools if the array changed', () => {
    const tools = [...TOOLS];
    writeBody({ tools });
    writeBody({ tools });
    const others = TOOLS.map((tool) => ({ ...tool, description: 'changed' }));
    expect(text(writeBody({ tools: others }))).toBe(JSON.stringify({ tools: others }));
  });

  it.each(['before', 'after'])('has no seal %s its tools, however often they are sent', (side) => {
    const tools = [...TOOLS];
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Not qm1.' }] };
    const signature = writeSeal({ provider: 'google', metadata: {} });
    const sealed = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature }] };
    const request = (messages: readonly (typeof said | typeof sealed)[]) =>
      ({ model: 'm', max_tokens: 1, ...(side === 'before' ? { messages, tools } : { tools, messages }) }) as never;
    const sent = text(writeBody({ ...(request([said]) as object), stream: true }));
    for (let time = 0; time < 3; time += 1) {
      expect(text(writeRequest('anthropic', request([sealed, said]), 'stream'))).toBe(sent);
    }
  });

  it('that is nested too deeply is refused, in its tools and around them', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    const tools = [...TOOLS, deep];
    expect(() => writeBody({ tools })).toThrow('nested too deeply');
    expect(() => writeBody({ tools })).toThrow('nested too deeply');
    expect(() => writeBody({ tools: TOOLS, messages: deep })).toThrow('nested too deeply');
  });
});
