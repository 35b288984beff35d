import { applyPolicies, createTool, type Policy, type PolicyRules } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { type McpServerConfig, policyOf } from './server-config.ts';

const KINDS = ['tools', 'patterns', 'servers'];

/**
 * The rules for the hub: the given ones, and the policies of tools in this process, which apply if no rule matches.
 * An entry's own `policy` applies to all of its tools. Throws for an invalid rule.
 */
export function hubPolicies(servers: Readonly<Record<string, McpServerConfig>>, rules: PolicyRules): PolicyRules {
  const unknown = Object.keys(rules).find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined) {
    const problem = `policies has ${JSON.stringify(unknown)}; allowed: ${KINDS.join(', ')}, each from names to policies`;
    throw new SettingError('invalid_setting', problem, { context: { setting: 'policies', value: unknown } });
  }
  const tools = Object.entries(servers).flatMap(([server, config]) =>
    ownPolicies(config).map(([name, policy]) => createTool({ server, name, policy })),
  );
  // Rules for a tool by its name win over all others, so each one has to include everything that applies to it.
  const decided = applyPolicies(tools, rules).map(({ id, policy }) => [id, policy] as const);
  return { ...rules, tools: { ...Object.fromEntries(decided), ...rules.tools } };
}

function ownPolicies(config: McpServerConfig): readonly (readonly [string, Policy])[] {
  return 'toolPolicies' in config && policyOf(config) === undefined ? Object.entries(config.toolPolicies) : [];
}
