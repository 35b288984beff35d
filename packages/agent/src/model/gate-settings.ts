import { type GateSettings, readCapabilities, readEnableToolSearch } from '@quartermaster/core';

export interface GateSources {
  /** The query's own variables. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly processEnv: Readonly<Record<string, string | undefined>>;
}

/** When tools are deferred: the query's `ENABLE_TOOL_SEARCH`, else its capabilities, else the process's variable, else always. */
export function readGateSettings({ env, capabilities, processEnv }: GateSources): GateSettings {
  const own = env?.ENABLE_TOOL_SEARCH;
  if (own !== undefined && own.trim() !== '') return readEnableToolSearch(own);
  if (capabilities !== undefined) return readCapabilities({ capabilities });
  return readEnableToolSearch(processEnv.ENABLE_TOOL_SEARCH);
}
