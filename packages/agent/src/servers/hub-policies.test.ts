import { applyPolicies, createTool, type Policy, type PolicyRules } from '@quartermaster/core/catalog';
import { expect, it } from 'vitest';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import type { McpServerConfig } from './server-config.ts';
import { hubPolicies } from './start-servers.ts';

const server = (name: string, policy: Policy): McpServerConfig =>
  createSdkMcpServer({
    name: 's',
    tools: [{ name, policy, description: '', inputSchema: {}, handler: () => ({ content: [] }) }],
  });

/** What becomes of a tool `s/name` that says nothing to the hub. */
function decided(config: McpServerConfig, rules: PolicyRules, name: string): Policy | undefined {
  return applyPolicies([createTool({ server: 's', name })], hubPolicies({ s: config }, rules))[0]?.policy;
}

it.each<[string, PolicyRules, Policy]>([
  ['its own policy', {}, 'always'],
  ['its server’s', { servers: { s: 'automatic' } }, 'automatic'],
  ['a pattern’s', { servers: { s: 'automatic' }, patterns: { 's/*': 'never' } }, 'never'],
  ['that of its id', { patterns: { 's/*': 'automatic' }, tools: { 's/t': 'never' } }, 'never'],
  ['that of its name in an agent', { patterns: { 's/*': 'automatic' }, tools: { mcp__s__t: 'never' } }, 'never'],
  ['its own, where rules are about others', { servers: { r: 'never' }, patterns: { 'r/*': 'never' } }, 'always'],
])('a tool in this process has %s', (_what, rules, expected) => {
  expect(decided(server('t', 'always'), rules, 't')).toBe(expected);
});

it('an entry’s policy is about all of its tools', () => {
  expect(hubPolicies({ s: { ...server('t', 'always'), policy: 'never' } }, {}).tools).toEqual({});
});

it.each(['__proto__', 'constructor', 'toString'])('a tool or a server may be called %s', (name) => {
  const odd = { ...server('t', 'never'), toolPolicies: Object.fromEntries([[name, 'always']]) } as McpServerConfig;
  expect(decided(odd, {}, name)).toBe('always');
  expect(decided(server('t', 'never'), {}, name)).toBe('automatic');
  const rules = hubPolicies(Object.fromEntries([[name, server('t', 'never')]]), {});
  expect(applyPolicies([createTool({ server: name, name: 't' })], rules)[0]?.policy).toBe('never');
});

it('rules stay for servers that say nothing', () => {
  const rules = { patterns: { 'a/*': 'never' } } as const;
  expect(hubPolicies({ a: { command: 'node' } }, rules)).toEqual({ ...rules, tools: {} });
});
