import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from './json.ts';
import { SEARCH_TEXT_DEFAULTS, searchText } from './search-text.ts';
import { createTool } from './tool.ts';

function textOf(schema: unknown) {
  const { parameterNames, parameterDescriptions, enumValues } = searchText(
    createTool({ name: 'tool', schema: schema as JsonObject }),
  );
  return { names: parameterNames, descriptions: parameterDescriptions, values: enumValues };
}

describe('searchText', () => {
  it('puts the title and the search hint before the description', () => {
    const tool = createTool({
      name: 'create_issue',
      server: 'github',
      description: 'Opens an issue.',
      extras: { title: 'New issue', searchHint: 'bug ticket' },
    });
    expect(searchText(tool)).toEqual({
      name: 'create_issue',
      server: 'github',
      description: 'New issue\nbug ticket\nOpens an issue.',
      parameterNames: [],
      parameterDescriptions: [],
      enumValues: [],
    });
  });

  it('a long hint does not displace the description', () => {
    const tool = createTool({
      name: 'tool',
      description: 'Opens an issue.',
      extras: { searchHint: 'bug '.repeat(200) },
    });
    expect(searchText(tool).description.indexOf('Opens an issue.')).toBe(501);
    expect(searchText(tool).description).toHaveLength(817);
  });

  it('has an empty server and description if the tool has none', () => {
    const text = searchText(createTool({ name: 'tool', extras: { searchHint: 'only a hint' } }));
    expect(text).toMatchObject({ server: '', description: 'only a hint' });
  });

  it.each<{ what: string; schema: unknown; names?: string[]; descriptions?: string[]; values?: string[] }>([
    {
      what: 'properties at any depth',
      schema: { properties: { a: { properties: { b: { description: 'inner' } } } } },
      names: ['a', 'b'],
      descriptions: ['inner'],
    },
    {
      what: 'the description and the title of the root',
      schema: { type: 'object', title: 'Arguments', description: 'All of them' },
      descriptions: ['Arguments', 'All of them'],
    },
    {
      what: 'a schema without a type',
      schema: { properties: { q: { description: 'the query' } } },
      names: ['q'],
      descriptions: ['the query'],
    },
    {
      what: 'a root that is a choice',
      schema: { anyOf: [{ properties: { id: {} } }, { oneOf: [{ properties: { url: {} } }] }] },
      names: ['id', 'url'],
    },
    {
      what: 'items, tuples and their older spelling',
      schema: {
        properties: {
          list: { items: { properties: { x: {} } } },
          pair: { prefixItems: [{ properties: { y: {} } }] },
          old: { items: [{ properties: { z: {} } }] },
        },
      },
      names: ['list', 'x', 'pair', 'y', 'old', 'z'],
    },
    {
      what: 'schemas of pattern, additional and dependent properties, but not the patterns',
      schema: {
        patternProperties: { '^x-': { description: 'extension' } },
        additionalProperties: { properties: { value: {} } },
        dependentSchemas: { card: { properties: { address: {} } } },
      },
      names: ['value', 'address'],
      descriptions: ['extension'],
    },
    {
      what: 'conditions',
      schema: JSON.parse(
        '{"if":{"properties":{"a":{}}},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}}}',
      ),
      names: ['a', 'b', 'c'],
    },
    {
      what: 'texts and numbers among the allowed values',
      schema: {
        properties: { a: { enum: ['open', 7, null, true, { x: 1 }] }, b: { const: 'fixed' }, c: { const: 0.5 } },
      },
      names: ['a', 'b', 'c'],
      values: ['open', '7', 'fixed', '0.5'],
    },
    {
      what: 'parameters that are named like keywords',
      schema: { properties: { properties: { description: 'x' }, enum: {}, $ref: { type: 'string' } } },
      names: ['properties', 'enum', '$ref'],
      descriptions: ['x'],
    },
    {
      what: 'other scripts',
      schema: { properties: { 都市: { description: '天気を調べる' } } },
      names: ['都市'],
      descriptions: ['天気を調べる'],
    },
    {
      what: 'lone surrogates',
      schema: { properties: { '\ud800': { const: '\udfff' } } },
      names: ['\ud800'],
      values: ['\udfff'],
    },
    {
      what: 'hostile names',
      schema: JSON.parse(
        '{"properties":{"__proto__":{"description":"p"},"constructor":{"properties":{"toString":{}}}}}',
      ),
      names: ['__proto__', 'constructor', 'toString'],
      descriptions: ['p'],
    },
    {
      what: 'nothing of keywords with the wrong kind of value',
      schema: { properties: [1], enum: 'x', anyOf: 3, description: {}, $ref: 4, items: null },
    },
  ])('collects $what', ({ schema, names = [], descriptions = [], values = [] }) => {
    expect(textOf(schema)).toEqual({ names, descriptions, values });
  });

  describe('references', () => {
    const address = { title: 'Address', properties: { street: {} } };

    it('reads a definition once however often it is referred to', () => {
      const schema = {
        properties: { home: { $ref: '#/$defs/Address' }, work: { $ref: '#/$defs/Address' } },
        $defs: { Address: address, Unused: { properties: { never: {} } } },
      };
      expect(textOf(schema)).toEqual({ names: ['home', 'street', 'work'], descriptions: ['Address'], values: [] });
    });

    it('does not read a place again that the walk reaches by itself', () => {
      const schema = {
        properties: {
          a: { anyOf: [{ properties: { deep: { enum: ['one'] } } }, { type: 'null' }] },
          b: { items: { $ref: '#/properties/a/anyOf/0/properties/deep' } },
          c: { $ref: '#/properties/a/anyOf/0' },
          d: { $ref: '#' },
        },
      };
      expect(textOf(schema)).toEqual({ names: ['a', 'deep', 'b', 'c', 'd'], descriptions: [], values: ['one'] });
    });

    it.each([
      ['#/$defs/a~1b', { $defs: { 'a/b': address } }],
      ['#/$defs/a~0b', { $defs: { 'a~b': address } }],
      ['#/$defs/a%20b', { $defs: { 'a b': address } }],
      ['#/$defs/100%', { $defs: { '100%': address } }],
      ['#/definitions/list/1', { definitions: { list: [1, address] } }],
      ['#/properties/x/$defs/inner', { properties: { x: { $defs: { inner: address } } } }],
    ])('resolves %s', (reference, rest) => {
      const { names } = textOf({ allOf: [{ $ref: reference }], ...rest });
      expect(names).toContain('street');
    });

    it.each([
      '#/$defs/missing',
      '#/$defs/__proto__',
      '#/constructor/name',
      'https://example.com/x',
      '#anchor',
      '#/type',
    ])('ignores %s', (reference) => {
      expect(textOf({ type: 'object', $ref: reference, $defs: {} })).toEqual({
        names: [],
        descriptions: [],
        values: [],
      });
    });

    it('ignores a pointer that is longer than any real one', () => {
      const name = 'n'.repeat(5_000);
      expect(textOf({ $ref: `#/$defs/${name}`, $defs: { [name]: address } }).names).toEqual([]);
    });

    it('follows a recursive definition once', () => {
      const schema = {
        $ref: '#/$defs/Node',
        $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' }, value: {} } } },
      };
      expect(textOf(schema).names).toEqual(['next', 'value']);
    });
  });

  describe('bounds', () => {
    it('ends on an object that contains itself', () => {
      const schema: { [key: string]: unknown } = { description: 'again' };
      schema.properties = { left: schema, right: schema };
      const { names } = textOf(schema);
      expect(names.length).toBeGreaterThan(0);
      expect(names.length).toBeLessThanOrEqual(SEARCH_TEXT_DEFAULTS.nodes);
    });

    it('stops at the depth', () => {
      let schema: JsonObject = {};
      for (let level = 100; level > 0; level--) schema = { properties: { [`level${level}`]: schema } };
      expect(textOf(schema).names).toHaveLength(SEARCH_TEXT_DEFAULTS.depth + 1);
    });

    it('stops at the number of schemas', () => {
      const properties = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, {}]));
      const tool = createTool({ name: 'tool', schema: { properties } });
      expect(searchText(tool, { nodes: 10 }).parameterNames).toHaveLength(9);
    });

    it('cuts the text that crosses the number of characters', () => {
      const tool = createTool({
        name: 'tool',
        description: 'x'.repeat(90),
        schema: { description: 'y'.repeat(85_000) },
      });
      const text = searchText(tool, { characters: 100 });
      expect(text.description).toHaveLength(90);
      expect(text.parameterDescriptions).toEqual(['y'.repeat(6)]);
    });

    it('cuts a name that is longer than everything allowed', () => {
      const text = searchText(createTool({ name: 'n'.repeat(200), description: 'lost' }), { characters: 100 });
      expect(text).toMatchObject({ name: 'n'.repeat(100), description: '' });
    });
  });

  it('finds the same words as a naive walk of any schema without references', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const naive = { names: [], descriptions: [], values: [] };
        walkNaively(schema, naive);
        expect(textOf(schema)).toEqual(naive);
      }),
    );
  });

  it('never throws and stays within its bounds on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const schema = { properties: value, anyOf: value, enum: value, $ref: value, items: value } as JsonObject;
        const text = searchText(createTool({ name: 'tool', schema }), { characters: 50 });
        const all = [...text.parameterNames, ...text.parameterDescriptions, ...text.enumValues].join('');
        expect(all.length).toBeLessThanOrEqual(46);
      }),
    );
  });
});

interface Found {
  readonly names: string[];
  readonly descriptions: string[];
  readonly values: string[];
}

/** The plainest reading of the rules, one keyword at a time in key order. */
function walkNaively(schema: Json, found: Found): void {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if ((key === 'description' || key === 'title') && typeof value === 'string' && value !== '')
      found.descriptions.push(value);
    if (key === 'enum') for (const item of value as string[]) if (item !== '') found.values.push(item);
    if (key === 'anyOf') for (const item of value as Json[]) walkNaively(item, found);
    if (key === 'items') walkNaively(value, found);
    if (key !== 'properties') continue;
    for (const [name, member] of Object.entries(value as JsonObject)) {
      found.names.push(name);
      walkNaively(member, found);
    }
  }
}

const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject }>((tie) => {
  const words = {
    title: fc.string(),
    description: fc.string({ unit: 'binary' }),
    enum: fc.array(fc.string(), { maxLength: 3 }),
  };
  const nested = {
    ...words,
    properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }),
    items: tie('schema'),
    anyOf: fc.array(tie('schema'), { maxLength: 2 }),
  };
  const leaf: fc.Arbitrary<JsonObject> = fc.record(words, { requiredKeys: [] });
  const branch: fc.Arbitrary<JsonObject> = fc.record(nested, { requiredKeys: [] });
  return { schema: fc.oneof({ maxDepth: 4 }, leaf, branch) };
}).schema;
