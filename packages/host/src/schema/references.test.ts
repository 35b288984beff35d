import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

const TREE: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
};

interface Row {
  readonly title: string;
  readonly schema: JsonObject;
  readonly good: Json;
  readonly wrong: Json;
}

const ROWS: readonly Row[] = [
  { title: '$defs', schema: { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, good: 'x', wrong: 1 },
  {
    title: 'definitions',
    schema: { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'an escaped pointer',
    schema: { $ref: '#/$defs/a~1b~0c%25', $defs: { 'a/b~c%': { type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'a pointer into a list',
    schema: { $ref: '#/prefixItems/0', prefixItems: [{ type: 'string' }] },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'a pointer to a key named __proto__',
    schema: JSON.parse('{"$ref":"#/$defs/__proto__","$defs":{"__proto__":{"type":"string"}}}'),
    good: 'x',
    wrong: 1,
  },
  {
    title: 'a recursive schema',
    schema: TREE,
    good: { name: 'a', children: [{ name: 'b' }] },
    wrong: { name: 'a', children: [{ children: [] }] },
  },
  {
    title: '$anchor',
    schema: { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'an embedded $id',
    schema: { $id: 'https://a.example/root', $ref: 'part', $defs: { p: { $id: 'part', type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'a pointer relative to its own $id',
    schema: {
      $ref: 'part',
      $defs: { p: { $id: 'part', $ref: '#/$defs/q', $defs: { q: { type: 'string' } } }, q: { type: 'number' } },
    },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'draft 4’s id',
    schema: { $schema: DRAFT_4, allOf: [{ $ref: 'part' }], definitions: { p: { id: 'part', type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'draft 7’s id as an anchor',
    schema: { $schema: DRAFT_7, allOf: [{ $ref: '#here' }], definitions: { p: { $id: '#here', type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: 'keywords beside $ref since 2019',
    schema: { $ref: '#/$defs/a', maxLength: 1, $defs: { a: { type: 'string' } } },
    good: 'x',
    wrong: 'xy',
  },
  {
    title: 'a chain of references',
    schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'string' } } },
    good: 'x',
    wrong: 1,
  },
  {
    title: '$recursiveRef',
    schema: { $schema: DRAFT_2019, type: 'object', additionalProperties: { $recursiveRef: '#' } },
    good: { a: {} },
    wrong: { a: 1 },
  },
  {
    title: '$dynamicRef takes the outermost anchor of its name',
    schema: {
      $id: 'https://a.example/strings',
      $ref: 'list',
      $defs: {
        item: { $dynamicAnchor: 'item', type: 'string' },
        list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } },
      },
    },
    good: ['x'],
    wrong: [1],
  },
];

describe('references', () => {
  it.each(ROWS)('$title', ({ schema, good, wrong }) => {
    expect(checkValue(schema, good)).toEqual({ kind: 'good', unchecked: [] });
    expect(checkValue(schema, wrong).kind).toBe('wrong');
  });

  it('draft 7 ignores the siblings of a $ref', () => {
    const schema = {
      $schema: DRAFT_7,
      properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
      definitions: { s: { type: 'string' } },
    };
    expect(checkValue(schema, { a: 'xyz' }).kind).toBe('good');
  });

  it('an $id inside an enum is not an address', () => {
    const schema = { $ref: 'part', enum: [{ $id: 'part', type: 'string' }] };
    expect(checkValue(schema, { $id: 'part', type: 'string' }).unchecked).toEqual([
      { reason: 'reference-not-found', detail: 'part' },
    ]);
  });

  it.each(['#/$defs/none', '#none', 'https://a.example/other', 'other.json', '#/$defs/%E0%A4%A', 'http://['])(
    'a reference that leads nowhere, %s, lets the value through with a note',
    ($ref) => {
      expect(checkValue({ $ref }, 1)).toEqual({
        kind: 'good',
        unchecked: [{ reason: 'reference-not-found', detail: $ref }],
      });
    },
  );

  it('other errors are still found beside an unresolved reference', () => {
    expect(checkValue({ $ref: '#none', type: 'string' }, 1).kind).toBe('wrong');
  });
});
