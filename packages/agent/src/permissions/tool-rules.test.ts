import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { compileToolRules } from './tool-rules.ts';

const tool = (server: string, name: string) =>
  createTool({ server, name, description: '', schema: {}, policy: 'automatic', extras: {} });
const SERVERS = ['a', 'a__b', 'my-server', 'my.server', '__proto__'];

describe('a rule', () => {
  it.each([
    ['mcp__a__x', 'a', 'x', true],
    ['mcp__a__x', 'a', 'xy', false],
    ['mcp__a__*', 'a', 'anything', true],
    ['mcp__a', 'a', 'anything', true],
    ['mcp__a__', 'a', 'anything', true],
    ['mcp__a__x*', 'a', 'xy', true],
    ['mcp__a__*', 'a__b', 'x', false],
    ['mcp__a__b__*', 'a__b', 'x', true],
    ['mcp__a__b__*', 'a', 'b__x', false],
    ['mcp__my-server__*', 'my-server', 'x', true],
    ['mcp__my.server__*', 'my.server', 'x', true],
    ['mcp__my.server__*', 'my-server', 'x', false],
    ['mcp__*__delete_*', 'a', 'delete_all', true],
    ['mcp__*__delete_*', 'a', 'list', false],
    ['mcp__*', 'a', 'x', true],
    ['*', 'a', 'x', true],
    ['Read', 'a', 'Read', false],
    ['x', 'a', 'x', false],
    ['mcp____proto____*', '__proto__', 'x', true],
    ['mcp__none__*', 'a', 'x', false],
  ])('%s for the tool of %s called %s: %s', (rule, server, name, expected) => {
    expect(compileToolRules([rule], { servers: SERVERS })(tool(server, name), `mcp__${server}__${name}`)).toBe(
      expected,
    );
  });

  it('may also be the name that the model sees', () => {
    const rules = compileToolRules(['mcp__a__x_1f0c9a3e'], { servers: SERVERS });
    expect(rules(tool('a', 'x.y'), 'mcp__a__x_1f0c9a3e')).toBe(true);
    expect(compileToolRules([], { servers: SERVERS })(tool('a', 'x'), 'mcp__a__x')).toBe(false);
  });
});
