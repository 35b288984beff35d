import { isJsonObject } from '@quartermaster/core/catalog';
import { checkOptionNames, cutText, type OptionNames, readWholeNumber } from '@quartermaster/core/internal';
import type { InProcessSettings, RemoteSettings, ServerOptions, StdioSettings } from '@quartermaster/mcp';
import { checkRows, SERVER_FIELD_ROWS } from '../contract/index.ts';
import { invalidSetting } from '../invalid-setting.ts';
import type { McpSdkServerConfigWithInstance } from './create-sdk-mcp-server.ts';
import type { SdkServerFields } from './server-config.ts';

/** Throws a `SettingError` for an entry of `mcpServers` that describes no server, or has a field without effect. */
export function checkServers(servers: unknown): void {
  if (!isJsonObject(servers)) throw refusal('mcpServers', 'is not an object from names to servers');
  for (const [name, config] of Object.entries(servers)) checkServer(`mcpServers.${name}`, config);
}

function checkServer(setting: string, config: unknown): void {
  if (!isJsonObject(config)) throw refusal(setting, 'is not an object with command, url, or a server in this process');
  checkRows(SERVER_FIELD_ROWS, setting, config);
  checkOptionNames(setting, config, fieldsOf(setting, config));
  if (config.timeout !== undefined) readWholeNumber(`${setting}.timeout`, config.timeout);
}

function fieldsOf(setting: string, config: Readonly<Record<string, unknown>>): object {
  if (config.command !== undefined && config.url !== undefined) {
    throw refusal(setting, 'has both command and url: give one of them');
  }
  if (typeof config.command === 'string') return fieldsOfType(setting, config.type, ['stdio'], STDIO);
  if (typeof config.url === 'string')
    return fieldsOfType(setting, config.type, ['http', 'streamable-http', 'sse'], REMOTE);
  if (config.type === 'sdk' && isServer(config.instance)) return HERE;
  if (config.type === 'in-process' && typeof config.create === 'function') return HERE;
  const given = Object.keys(config).slice(0, 10).join(', ') || 'nothing';
  throw refusal(setting, `has neither command nor url, and is not a server in this process; it has: ${given}`);
}

function fieldsOfType(setting: string, type: unknown, allowed: readonly string[], fields: object): object {
  if (type === undefined || allowed.some((each) => each === type)) return fields;
  throw refusal(
    `${setting}.type`,
    `is ${cutText(JSON.stringify(type) ?? typeof type, 100)}; allowed: ${allowed.join(', ')}`,
  );
}

function isServer(instance: unknown): boolean {
  return typeof instance === 'object' && instance !== null && 'connect' in instance;
}

function refusal(setting: string, problem: string): Error {
  return invalidSetting({ setting }, `${setting} ${problem}`);
}

const COMMON: OptionNames<ServerOptions & SdkServerFields> = {
  policy: true,
  allow: true,
  deny: true,
  connectTimeoutMs: true,
  listTimeoutMs: true,
  callTimeoutMs: true,
  protocolVersion: true,
  disabled: true,
  timeout: true,
  alwaysLoad: true,
};

const STDIO: OptionNames<StdioSettings & SdkServerFields> = {
  ...COMMON,
  type: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
};

const REMOTE: OptionNames<RemoteSettings & SdkServerFields> = {
  ...COMMON,
  type: true,
  url: true,
  headers: true,
  oauth: true,
};

const HERE: OptionNames<InProcessSettings & McpSdkServerConfigWithInstance & SdkServerFields> = {
  ...COMMON,
  type: true,
  name: true,
  instance: true,
  create: true,
  toolPolicies: true,
};
