import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createModelNames, NAME_TEMPLATES } from './create-snapshot.ts';
import { sha256 } from './sha256.ts';
import { createTool, type Tool } from './tool.ts';

const issue = createTool({ name: 'create_issue', server: 'github' });

function namesOf(tools: readonly Tool[], nameTemplate: string, maxNameLength = 64): (string | undefined)[] {
  const names = createModelNames(tools, { nameTemplate, maxNameLength });
  return tools.map((tool) => names.nameOf(tool.id));
}

describe('createModelNames', () => {
  it.each([
    [NAME_TEMPLATES.agent, 'mcp__github__create_issue'],
    [NAME_TEMPLATES.connector, 'github_create_issue'],
    [NAME_TEMPLATES.proxy, 'github__create_issue'],
    [NAME_TEMPLATES.plain, 'create_issue'],
  ])('fills %s', (template, expected) => {
    expect(namesOf([issue], template)).toEqual([expected]);
  });

  it('leaves a tool without a server its own name', () => {
    expect(namesOf([createTool({ name: 'search' })], NAME_TEMPLATES.agent)).toEqual(['search']);
  });

  it('replaces refused characters and adds a suffix from the id', () => {
    const tool = createTool({ name: 'math.factorial' });
    expect(namesOf([tool], '{tool}')).toEqual([`math_factorial_${sha256(['math.factorial']).slice(0, 8)}`]);
  });

  it('shortens a long name to the limit', () => {
    const tool = createTool({ name: 'x'.repeat(80) });
    expect(namesOf([tool], '{tool}')).toEqual([`${'x'.repeat(55)}_${sha256([tool.id]).slice(0, 8)}`]);
    expect(namesOf([tool], '{tool}', 128)).toEqual([tool.name]);
  });

  it('gives a suffix to every member of a collision only', () => {
    const tools = [
      issue,
      createTool({ name: 'create_issue', server: 'gitlab' }),
      createTool({ name: 'other', server: 'gitlab' }),
    ];
    expect(namesOf(tools, '{tool}')).toEqual([
      `create_issue_${sha256(['github/create_issue']).slice(0, 8)}`,
      `create_issue_${sha256(['gitlab/create_issue']).slice(0, 8)}`,
      'other',
    ]);
  });

  it('distinguishes names that only the template makes equal', () => {
    const tools = [createTool({ name: 'c', server: 'a_b' }), createTool({ name: 'b_c', server: 'a' })];
    expect(new Set(namesOf(tools, '{server}_{tool}')).size).toBe(2);
  });

  it('lengthens a suffix that another tool has as its plain name, which keeps it', () => {
    const dotted = createTool({ name: 'a.b' });
    const taken = ['a_b'].flatMap((base) =>
      [8, 16, 32, 56].map((digits) => `${base}_${sha256(['a.b']).slice(0, digits)}`),
    );
    const squatters = taken.map((name) => createTool({ name }));
    const [name, ...others] = namesOf([dotted, ...squatters.slice(0, 2)], '{tool}');
    expect(name).toBe(`a_b_${sha256(['a.b']).slice(0, 32)}`);
    expect(others).toEqual(taken.slice(0, 2));
    expect(new Set(namesOf([dotted, ...squatters], '{tool}')).size).toBe(5);
  });

  it('keeps dollar signs and braces of names as they are before cleaning', () => {
    const tool = createTool({ name: '$&{server}', server: 'a' });
    expect(namesOf([tool], '{server}_{tool}')[0]).toMatch(/^a____server__[0-9a-f]{8}$/);
  });

  it.each(['', '{server}', 'tool', '{server}.{tool}', '{tool} {x}', '{name}{tool}'])(
    'refuses the template %j',
    (nameTemplate) => {
      expect(() => createModelNames([], { nameTemplate })).toThrow(
        expect.objectContaining({ code: 'invalid_name_template' }),
      );
    },
  );

  it.each([0, 31, 257, 40.5, Number.NaN])('refuses the length %s', (maxNameLength) => {
    expect(() => createModelNames([], { maxNameLength })).toThrow(expect.objectContaining({ code: 'invalid_limit' }));
  });

  it('resolves exactly', () => {
    const names = createModelNames([issue], { nameTemplate: '{tool}' });
    expect(names.resolve('create_issue')).toBe(issue);
    expect(names.resolve('Create_Issue')).toBeUndefined();
    expect(names.resolve('__proto__')).toBeUndefined();
    expect(names.nameOf('gitlab/create_issue')).toBeUndefined();
  });

  const catalogs = fc
    .uniqueArray(
      fc.record({
        server: fc.option(fc.string({ unit: fc.constantFrom('a', '_', '.', 'é'), maxLength: 3 }), { nil: undefined }),
        name: fc.oneof(
          fc.string({ unit: fc.constantFrom('a', '_', '-', '.', '語', '\ud800'), minLength: 1, maxLength: 4 }),
          fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 90 }),
        ),
      }),
      { selector: (parts) => createTool(parts).id, maxLength: 30 },
    )
    .map((list) => list.map(createTool));

  it('makes allowed, unique, reversible names that do not depend on order', () => {
    fc.assert(
      fc.property(catalogs, fc.constantFrom(...Object.values(NAME_TEMPLATES)), (tools, nameTemplate) => {
        const names = createModelNames(tools, { nameTemplate });
        const reversed = createModelNames(tools.toReversed(), { nameTemplate });
        const seen = new Set<string>();
        for (const tool of tools) {
          const name = names.nameOf(tool.id) ?? '';
          expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(names.resolve(name)).toBe(tool);
          expect(reversed.nameOf(tool.id)).toBe(name);
          seen.add(name);
        }
        expect(seen.size).toBe(tools.length);
      }),
      { numRuns: 300 },
    );
  });

  it('names tools the same after an unrelated tool has joined', () => {
    fc.assert(
      fc.property(catalogs, (tools) => {
        const before = namesOf(tools, '{server}__{tool}');
        const joined = [createTool({ name: 'unrelated_zzz', server: 'zzz' }), ...tools];
        expect(namesOf(joined, '{server}__{tool}').slice(1)).toEqual(before);
      }),
    );
  });
});
