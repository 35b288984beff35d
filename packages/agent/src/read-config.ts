import type { PolicyRules } from '@quartermaster/core/catalog';
import { DEFAULT_GATE_SETTINGS, type GateRule, type SearchLimitSettings } from '@quartermaster/core/gate';
import {
  ConfigError,
  type ConfigProblem,
  type ModelPrice as ConfiguredPrice,
  type Environment,
  loadConfig,
  type McpLimitSettings,
  type SearchSettings,
  type UpstreamSettings,
} from '@quartermaster/host/config';
import type { ModelPrice } from './turn/index.ts';

/** What the agent reads from quartermaster.yaml. */
export interface AgentConfig {
  readonly upstreams: readonly UpstreamSettings[];
  /** When tools are deferred; undefined if the file does not say. */
  readonly rule: GateRule | undefined;
  readonly search: SearchLimitSettings;
  /** The search engine. */
  readonly engine: SearchSettings['engine'];
  readonly pins: readonly string[];
  readonly policies: PolicyRules;
  /** Prices of tokens; only models with a price for output. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** How much of an MCP server's list is read; undefined if the file can't be read. */
  readonly limits?: McpLimitSettings;
  /** Why the file is ignored, although it may contain settings for tools. */
  readonly warning?: string;
}

export interface ConfigSurroundings {
  readonly env: Environment;
  /** The folder of the file. */
  readonly cwd: string;
  /** Whether the model has to be found in the file. If not, only its `tools` matter. */
  readonly needsUpstreams: boolean;
}

/**
 * The file, if there is one. Throws a `ConfigError` that names its lines if it can't be used. If the model is known without it,
 * only mistakes in `tools` are errors: the keys of other models may be missing.
 */
export function readConfig(surroundings: ConfigSurroundings): AgentConfig {
  try {
    return read(surroundings);
  } catch (error) {
    if (!(error instanceof ConfigError) || surroundings.needsUpstreams || error.problems.some(isAboutTools))
      throw error;
    return readTools(surroundings, error);
  }
}

function read({ env, cwd }: ConfigSurroundings): AgentConfig {
  // Some options override the variable, so it is read together with them.
  const { ENABLE_TOOL_SEARCH: _, ...others } = env;
  // The store and further files with servers belong to the gateway: they are not opened here, and may be missing.
  const config = loadConfig({ env: others, folder: cwd, flags: { store: ':memory:', mcpConfig: [] } });
  const { gate, policies } = config.tools;
  return {
    upstreams: config.upstreams,
    // Without `tools.tool_search` the rule is the default object itself. Equal values in the file make another object.
    rule: gate.rule === DEFAULT_GATE_SETTINGS.rule ? undefined : gate.rule,
    search: gate.search,
    engine: config.search.engine,
    pins: gate.pins,
    policies,
    prices: Object.fromEntries(Object.entries(config.prices).flatMap(withOutput)),
    limits: config.mcp.limits,
  };
}

function withOutput([model, { output, ...price }]: readonly [string, ConfiguredPrice]): [string, ModelPrice][] {
  return output === undefined ? [] : [[model, { ...price, output }]];
}

/** Reads `tools` from a file with problems elsewhere. Unset variables get a placeholder there, which is not used. */
function readTools(surroundings: ConfigSurroundings, { problems, message }: ConfigError): AgentConfig {
  const unset = problems.flatMap(({ variable }) => variable ?? []);
  const standIns = unset.map((name) => [name, `http://unset.invalid/${name}`] as const);
  try {
    const env = { ...surroundings.env, ...Object.fromEntries(standIns), ...STRICT_STAND_INS };
    const config = read({ ...surroundings, env });
    return { ...config, upstreams: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { search, pins } = DEFAULT_GATE_SETTINGS;
    const warning = `The configuration file is ignored, including its settings for tools: ${message}`;
    return { upstreams: [], rule: undefined, search, engine: 'auto', pins, policies: {}, prices: {}, warning };
  }
}

function isAboutTools({ path }: ConfigProblem): boolean {
  return /^tools(?:[.[]|$)/.test(path);
}

/** A placeholder where not every text is allowed. */
const STRICT_STAND_INS: Environment = { QUARTERMASTER_PORT: '0', QUARTERMASTER_ENCRYPTION_KEY: '0'.repeat(64) };
