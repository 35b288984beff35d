import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createSnapshotInSteps } from './create-snapshot.ts';
import type { JsonObject } from './json.ts';
import { parseTools } from './parse-tools.ts';
import { createTool, type Tool } from './tool.ts';

const issue = createTool({ name: 'create_issue', server: 'github', description: 'Opens an issue.' });
const search = createTool({ name: 'search' });

describe('createSnapshot', () => {
  it('holds the tools in order and finds them by id', () => {
    const snapshot = createSnapshot([issue, search]);
    expect(snapshot.tools).toEqual([issue, search]);
    expect(snapshot.get('github/create_issue')).toBe(issue);
    expect(snapshot.get('create_issue')).toBeUndefined();
    expect(snapshot.get('__proto__')).toBeUndefined();
  });

  it('lists servers in the order of their first tool', () => {
    const tools = ['b', 'a', 'b'].map((server, index) => createTool({ name: `t${index}`, server }));
    expect(createSnapshot([search, ...tools]).servers).toEqual(['b', 'a']);
  });

  it('may be empty', () => {
    const snapshot = createSnapshot([]);
    expect(snapshot).toMatchObject({ tools: [], servers: [] });
    expect(snapshot.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(snapshot.resolve('x')).toBeUndefined();
  });

  it('does not follow the list that it was made from', () => {
    const list = [issue];
    const snapshot = createSnapshot(list);
    list.push(search);
    expect(snapshot.tools).toEqual([issue]);
    expect(() => (snapshot.tools as Tool[]).push(search)).toThrow(TypeError);
  });

  it('names both positions of a duplicate', () => {
    expect(() => createSnapshot([search, issue, search])).toThrow(
      'Tool "search" is at position 0 and again at position 2; rename one',
    );
  });

  it.each([
    ['first', 'one'],
    ['last', 'two'],
  ] as const)('keeps the %s of two at the place of the first', (onDuplicate, description) => {
    const twice = ['one', 'two'].map((text) => createTool({ name: 'search', description: text }));
    const snapshot = createSnapshot([twice[0] as Tool, issue, twice[1] as Tool], { onDuplicate });
    expect(snapshot.tools.map((tool) => tool.id)).toEqual(['search', 'github/create_issue']);
    expect(snapshot.get('search')?.description).toBe(description);
  });

  it('keeps the last of each of 20,000 tools that came twice', () => {
    const round = (text: string): Tool[] =>
      Array.from({ length: 20_000 }, (_, number) => createTool({ name: `tool_${number}`, description: text }));
    const snapshot = createSnapshot([...round('first'), ...round('second')], {
      maxTools: 20_000,
      onDuplicate: 'last',
    });
    expect(snapshot.tools).toHaveLength(20_000);
    expect(snapshot.tools.every((tool, position) => tool.name === `tool_${position}`)).toBe(true);
    expect(snapshot.tools.every((tool) => tool.description === 'second')).toBe(true);
  });

  it('says the limit and how to raise it', () => {
    expect(() => createSnapshot([search, issue], { maxTools: 1 })).toThrow(
      'The catalog has more than 1 tools; leave some out or raise maxTools',
    );
    expect(createSnapshot([search, issue], { maxTools: 2 }).tools).toHaveLength(2);
    expect(() => createSnapshot([], { maxTools: Number.NaN })).toThrow(
      expect.objectContaining({ code: 'invalid_limit' }),
    );
  });

  it('stops reading an endless list at the limit', () => {
    function* endless(): Generator<Tool> {
      for (let index = 0; ; index++) yield createTool({ name: `t${index}` });
    }
    expect(() => createSnapshot(endless())).toThrow(expect.objectContaining({ code: 'too_many_tools' }));
  });

  it('makes model names by its template and resolves them', () => {
    const snapshot = createSnapshot([issue, search], { nameTemplate: 'mcp__{server}__{tool}' });
    expect(snapshot.modelName(issue)).toBe('mcp__github__create_issue');
    expect(snapshot.resolve('mcp__github__create_issue')).toBe(issue);
    expect(snapshot.modelName(search)).toBe('search');
  });

  it('refuses to name a tool that it does not hold', () => {
    expect(() => createSnapshot([issue]).modelName(search)).toThrow('Tool "search" is not in this snapshot');
  });

  it('of many tools can be made in steps, its names included, and is the same', () => {
    const tools = Array.from({ length: 5_000 }, (_, at) =>
      createTool({ name: `tool ${at % 2_500}`, server: `s${at}` }),
    );
    const steps = createSnapshotInSteps(tools);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    // A few hundred tools a step, each looked at four times.
    expect(count).toBeGreaterThan(30);
    const whole = createSnapshot(tools);
    expect(step.value.tools).toEqual(whole.tools);
    expect(tools.map((tool) => step.value?.modelName(tool))).toEqual(tools.map((tool) => whole.modelName(tool)));
  });

  describe('hash', () => {
    const definition = {
      name: 'a',
      description: 'd',
      input_schema: { type: 'object', properties: { x: { type: 'string' } } },
    };

    function hashOf(...definitions: readonly unknown[]): string {
      return createSnapshot(parseTools(definitions).tools).hash;
    }

    it('is that of equal content, however it was made', () => {
      expect(hashOf(definition)).toBe(hashOf(structuredClone(definition)));
      const { tools } = parseTools([definition]);
      const stored: Tool[] = JSON.parse(JSON.stringify(tools));
      expect(createSnapshot(stored).hash).toBe(createSnapshot(tools).hash);
    });

    it.each<[string, unknown[]]>([
      ['another description', [{ ...definition, description: 'e' }]],
      ['another schema', [{ ...definition, input_schema: { type: 'object' } }]],
      [
        'another order of schema keys',
        [{ ...definition, input_schema: { properties: { x: { type: 'string' } }, type: 'object' } }],
      ],
      ['another order of keys', [{ description: 'd', name: 'a', input_schema: definition.input_schema }]],
      ['a field that only the format knows', [{ ...definition, cache_control: { type: 'ephemeral' } }]],
      ['null for no description', [{ ...definition, description: null }]],
      ['deferral', [{ ...definition, defer_loading: true }]],
      ['one tool more', [definition, { ...definition, name: 'b' }]],
    ])('changes with %s', (_, definitions) => {
      expect(hashOf(...definitions)).not.toBe(hashOf(definition));
    });

    it('changes with the order of tools', () => {
      expect(createSnapshot([issue, search]).hash).not.toBe(createSnapshot([search, issue]).hash);
    });

    it('distinguishes lone surrogates', () => {
      const [a, b] = ['\ud800', '\ud801'].map(
        (description) => createSnapshot([createTool({ name: 'a', description })]).hash,
      );
      expect(a).not.toBe(b);
    });

    it('does not depend on names, and is the same with the digest of the platform', () => {
      const digest = (chunks: Iterable<string>): string => {
        const hash = createHash('sha256');
        for (const chunk of chunks) hash.update(chunk);
        return hash.digest('hex');
      };
      const hash = createSnapshot([issue]).hash;
      expect(createSnapshot([issue], { digest, nameTemplate: '{tool}' }).hash).toBe(hash);
    });

    it('is worked out once, and only when asked for', () => {
      let calls = 0;
      const snapshot = createSnapshot([issue], { digest: () => String(++calls) });
      expect(calls).toBe(0);
      expect([snapshot.hash, snapshot.hash]).toEqual(['1', '1']);
    });

    it('names the tool that is not JSON', () => {
      const schema: { [key: string]: unknown } = {};
      schema.self = schema;
      const tool = createTool({ name: 'loop', schema: schema as JsonObject });
      expect(() => createSnapshot([tool]).hash).toThrow(expect.objectContaining({ code: 'invalid_tool' }));
    });

    it('differs for any two different lists', () => {
      const tools = fc.uniqueArray(
        fc.record({ name: fc.string({ minLength: 1, maxLength: 2 }), description: fc.string({ maxLength: 2 }) }),
        { selector: (parts) => parts.name, maxLength: 3 },
      );
      fc.assert(
        fc.property(tools, tools, (a, b) => {
          const isEqual = JSON.stringify(a) === JSON.stringify(b);
          expect(createSnapshot(a.map(createTool)).hash === createSnapshot(b.map(createTool)).hash).toBe(isEqual);
        }),
      );
    });
  });
});
