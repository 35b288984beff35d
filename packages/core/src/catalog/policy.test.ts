import { describe, expect, it } from 'vitest';
import { CatalogError } from '../errors.ts';
import { applyPolicies, type PolicyRules, parsePolicy } from './policy.ts';
import { createTool } from './tool.ts';

const tool = createTool({ name: 'delete_repo', server: 'github' });

function policyUnder(rules: PolicyRules): string | undefined {
  return applyPolicies([tool], rules)[0]?.policy;
}

describe('applyPolicies', () => {
  it.each<[string, PolicyRules, string]>([
    ['no rule leaves what the definition says', {}, 'automatic'],
    ['a server', { servers: { github: 'always' } }, 'always'],
    ['another server', { servers: { gitlab: 'always' } }, 'automatic'],
    ['an id', { tools: { 'github/delete_repo': 'never' } }, 'never'],
    ["an agent's name", { tools: { mcp__github__delete_repo: 'never' } }, 'never'],
    ['a name without its server is not an id', { tools: { delete_repo: 'never' } }, 'automatic'],
    ['a pattern', { patterns: { 'github/*': 'always' } }, 'always'],
    ["a pattern over the agent's name", { patterns: { 'mcp__github__*': 'always' } }, 'always'],
    [
      'a tool before a pattern',
      { patterns: { '*/delete_repo': 'always' }, tools: { 'github/delete_repo': 'never' } },
      'never',
    ],
    ['a pattern before a server', { servers: { github: 'always' }, patterns: { '*': 'never' } }, 'never'],
    ['the longer pattern', { patterns: { '*/delete_*': 'never', 'github/*': 'always' } }, 'never'],
    ['the longer pattern in the other order', { patterns: { 'github/*': 'always', '*/delete_*': 'never' } }, 'never'],
    ['the last of equal patterns', { patterns: { '*github/*': 'always', 'github/*': 'never' } }, 'never'],
    ['a rule may give back what it is', { tools: { 'github/delete_repo': 'automatic' } }, 'automatic'],
  ])('%s', (_, rules, expected) => {
    expect(policyUnder(rules)).toBe(expected);
  });

  it('keeps the object of a tool whose policy stays', () => {
    expect(applyPolicies([tool], { servers: { github: 'automatic' } })[0]).toBe(tool);
  });

  it('is not fooled by names that every object has', () => {
    const hostile = createTool({ name: 'constructor', server: '__proto__' });
    expect(applyPolicies([hostile], { servers: {}, tools: {} })[0]).toBe(hostile);
    const rules: PolicyRules = JSON.parse('{"servers":{"__proto__":"always"}}');
    expect(applyPolicies([hostile], rules)[0]?.policy).toBe('always');
  });

  it('names the value, the place and the allowed values', () => {
    const rules = { patterns: { 'github/*': 'sometimes' } } as unknown as PolicyRules;
    expect(() => applyPolicies([], rules)).toThrow(
      'The policy of pattern "github/*" is "sometimes", not one of never, automatic, always',
    );
  });

  it('refuses rules that are not a record', () => {
    expect(() => applyPolicies([], { servers: 'always' } as unknown as PolicyRules)).toThrow(CatalogError);
  });
});

describe('parsePolicy', () => {
  it('accepts the three policies and nothing else', () => {
    expect(['never', 'automatic', 'always'].map((value) => parsePolicy(value, 'x'))).toEqual([
      'never',
      'automatic',
      'always',
    ]);
    for (const value of ['', 'Never', 1, null, undefined, {}]) {
      expect(() => parsePolicy(value, 'the server')).toThrow(expect.objectContaining({ code: 'invalid_policy' }));
    }
  });
});
