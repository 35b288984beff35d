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

/** What the agent takes from quartermaster.yaml. */
export interface AgentConfig {
  readonly upstreams: readonly UpstreamSettings[];
  /** When tools are deferred; undefined where the file does not say. */
  readonly rule: GateRule | undefined;
  readonly search: SearchLimitSettings;
  /** What searches. */
  readonly engine: SearchSettings['engine'];
  readonly pins: readonly string[];
  readonly policies: PolicyRules;
  /** What tokens cost; only models whose output has a price. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** How much of an MCP server's list is taken; undefined where the file can't be read. */
  readonly limits?: McpLimitSettings;
  /** Why nothing of the file is used, though it may say something about tools. */
  readonly warning?: string;
}

export interface ConfigSurroundings {
  readonly env: Environment;
  /** Where the file is looked for. */
  readonly cwd: string;
  /** Whether a model has to be found in the file. Where not, only its `tools` matter. */
  readonly needsUpstreams: boolean;
}

/**
 * The file, where there is one. Throws a `ConfigError` that names its lines where it can't be used. Where the model is known without it,
 * only mistakes in `tools` are errors: the keys of other models need not be there.
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
  // The variable is weaker than some options, so that it is read with those.
  const { ENABLE_TOOL_SEARCH: _, ...others } = env;
  // The store and further files of servers are the gateway's: they are not opened here, and may be missing.
  const config = loadConfig({ env: others, folder: cwd, flags: { store: ':memory:', mcpConfig: [] } });
  const { gate, policies } = config.tools;
  return {
    upstreams: config.upstreams,
    // Where `tools.tool_search` is not written, the rule is the default itself. The same values, written, are another object.
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

/** What a file says of tools that has problems elsewhere. Variables that are not set stand for something there that is not used. */
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
    const warning = `The configuration is not used, nor what it says of tools: ${message}`;
    return { upstreams: [], rule: undefined, search, engine: 'auto', pins, policies: {}, prices: {}, warning };
  }
}

function isAboutTools({ path }: ConfigProblem): boolean {
  return /^tools(?:[.[]|$)/.test(path);
}

/** Where not every text will do, in place of what the file says. */
const STRICT_STAND_INS: Environment = { QUARTERMASTER_PORT: '0', QUARTERMASTER_ENCRYPTION_KEY: '0'.repeat(64) };
