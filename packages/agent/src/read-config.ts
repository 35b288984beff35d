import { DEFAULT_GATE_SETTINGS, type GateRule, type PolicyRules, type SearchLimitSettings } from '@quartermaster/core';
import { type Config, loadConfig, type UpstreamSettings } from '@quartermaster/host/config';

/** What the agent takes from quartermaster.yaml. */
export interface AgentConfig {
  readonly upstreams: readonly UpstreamSettings[];
  /** When tools are deferred; undefined where the file does not say. */
  readonly rule: GateRule | undefined;
  readonly search: SearchLimitSettings;
  readonly pins: readonly string[];
  readonly policies: PolicyRules;
}

export interface ConfigSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the file is looked for. */
  readonly cwd: string;
}

/** The file, where there is one. Throws a `ConfigError` that names its lines where it can't be used. */
export function readConfig({ env, cwd }: ConfigSurroundings): AgentConfig {
  // The variable is weaker than some options, so that it is read with those.
  const { ENABLE_TOOL_SEARCH: _, ...others } = env;
  const config = loadConfig({ env: others, folder: cwd });
  const { gate, policies } = config.tools;
  return {
    upstreams: config.upstreams,
    rule: saysWhen(config) ? gate.rule : undefined,
    search: gate.search,
    pins: gate.pins,
    policies,
  };
}

/** Whether `tools.tool_search` is written. With `deferral` beside it that can't be told from the source, but from the values. */
function saysWhen({ tools, deferralSource }: Config): boolean {
  if (deferralSource === 'tools.tool_search') return true;
  const { rule, search } = DEFAULT_GATE_SETTINGS;
  return JSON.stringify([tools.gate.rule, tools.gate.search]) !== JSON.stringify([rule, search]);
}
