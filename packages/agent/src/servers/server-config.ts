import type { Policy } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type {
  Connectable,
  InProcessSettings,
  RemoteSettings,
  ServerOptions,
  ServerSettings,
  StdioSettings,
} from '@quartermaster/mcp';
import { LONGEST_TIMER_MS } from '../deadline.ts';
import type { McpSdkServerConfigWithInstance } from './create-sdk-mcp-server.ts';

/** An entry of `mcpServers`: a process, an address, or a server in this process. */
export type McpServerConfig = SdkServerFields &
  (
    | StdioSettings
    | RemoteSettings
    | InProcessSettings
    | McpSdkServerConfigWithInstance
    /** A server made elsewhere, with any version of the SDK. It can serve one query at a time. */
    | (ServerOptions & { readonly type: 'sdk'; readonly name: string; readonly instance: Connectable })
  );

/** The agent SDK's names for two settings of a server. */
export interface SdkServerFields {
  /** `true` means `policy: 'never'`, `false` means `policy: 'always'`. `policy` overrides it. */
  readonly alwaysLoad?: boolean;
  /** The same as `callTimeoutMs`, which overrides it. */
  readonly timeout?: number;
}

export interface ServerSurroundings {
  /** The folder of processes whose entry names none. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The hub's settings for an entry. `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`, in milliseconds, apply if the entry has no timeouts. */
export function toServerSettings(entry: McpServerConfig, { cwd, env }: ServerSurroundings): ServerSettings {
  const { timeout, alwaysLoad: _, ...config } = entry;
  const policy = policyOf(entry);
  const times = {
    ...milliseconds('connectTimeoutMs', env.MCP_TIMEOUT),
    ...milliseconds('callTimeoutMs', env.MCP_TOOL_TIMEOUT),
    ...defined({ callTimeoutMs: timeout, policy }),
  };
  if ('command' in config) return { ...times, cwd, ...config };
  if (config.type !== 'sdk') return { ...times, ...config };
  const create = 'create' in config ? config.create : (): Connectable => config.instance;
  return { ...times, ...config, type: 'in-process', create };
}

/** The policy of a server's tools, if its entry has one. */
export function policyOf({ policy, alwaysLoad }: McpServerConfig): Policy | undefined {
  return policy ?? (alwaysLoad === undefined ? undefined : alwaysLoad ? 'never' : 'always');
}

/** Whether a server runs on this machine. */
export function isLocal(config: McpServerConfig | undefined): boolean {
  return config !== undefined && !('url' in config);
}

function milliseconds(
  name: 'connectTimeoutMs' | 'callTimeoutMs',
  value: string | undefined,
): { readonly [Name in typeof name]?: number } {
  const number = Number(value ?? '');
  return Number.isInteger(number) && number > 0 ? { [name]: Math.min(number, LONGEST_TIMER_MS) } : {};
}
