import { readEnableToolSearch } from '@quartermaster/core';
import { type GateRule, type GateSettings, readCapabilities } from '@quartermaster/core/gate';
import { readWholeNumber } from '@quartermaster/core/internal';
import { invalidSetting } from '../invalid-setting.ts';
import type { Options } from '../options.ts';
import type { AgentConfig } from '../read-config.ts';

export interface GateSources extends Pick<Options, 'env' | 'capabilities' | 'toolSearchThreshold' | 'pins'> {
  readonly processEnv: Readonly<Record<string, string | undefined>>;
  readonly config: Pick<AgentConfig, 'rule' | 'search' | 'pins'>;
}

export interface ReadGate {
  readonly settings: GateSettings;
  /** Which setting decided when tools are deferred. */
  readonly source: 'ENABLE_TOOL_SEARCH' | 'capabilities' | 'config' | 'default';
}

/**
 * When tools are deferred: the query's `ENABLE_TOOL_SEARCH`, else its capabilities, else the process's variable, else the
 * configuration, else always. Search limits come from the configuration; pins from the query, else from the configuration.
 */
export function readGateSettings(sources: GateSources): ReadGate {
  const { config, pins } = sources;
  checkThreshold(sources);
  const { rule, source } = readRule(sources);
  return { settings: { rule, search: config.search, pins: pins ?? config.pins }, source };
}

function readRule(sources: GateSources): { readonly rule: GateRule; readonly source: ReadGate['source'] } {
  const { env, capabilities, toolSearchThreshold: threshold, processEnv, config } = sources;
  const own = variable(env?.ENABLE_TOOL_SEARCH);
  if (own !== undefined) return { rule: readEnableToolSearch(own).rule, source: 'ENABLE_TOOL_SEARCH' };
  if (capabilities !== undefined) {
    const { rule } = readCapabilities({ capabilities }, threshold === undefined ? {} : { threshold });
    return { rule, source: 'capabilities' };
  }
  const inherited = variable(processEnv.ENABLE_TOOL_SEARCH);
  if (inherited !== undefined) return { rule: readEnableToolSearch(inherited).rule, source: 'ENABLE_TOOL_SEARCH' };
  if (config.rule !== undefined) return { rule: config.rule, source: 'config' };
  return { rule: readEnableToolSearch(undefined).rule, source: 'default' };
}

function checkThreshold({ toolSearchThreshold: value, capabilities }: GateSources): void {
  if (value === undefined) return;
  readWholeNumber('toolSearchThreshold', value, 0);
  // Otherwise it would have no effect, without any sign.
  if (capabilities === undefined) {
    const problem = `toolSearchThreshold is ${value}, but belongs to capabilities: ["tool_search"], which are not given`;
    throw invalidSetting({ setting: 'toolSearchThreshold', value }, problem);
  }
}

/** An empty variable counts as unset, as in a shell. */
function variable(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
