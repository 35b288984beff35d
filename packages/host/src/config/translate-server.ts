import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';

/** A client's entry in our format. */
export interface TranslatedServer {
  readonly entry: JsonObject;
  /** Why the entry can't be used, if it can't. */
  readonly problems: readonly string[];
  /** What the entry says that is not carried over. */
  readonly notes: readonly string[];
  /** Unknown keys. */
  readonly unknown: readonly string[];
}

/** Whether an entry is disabled. */
export function isOff(entry: unknown): boolean {
  return isJsonObject(entry) && (entry.disabled === true || entry.enabled === false);
}

/** Converts any client's entry to our format. A restriction that can't be kept makes the entry unusable. */
export function translateServer(given: JsonObject): TranslatedServer {
  const problems: string[] = [];
  const notes: string[] = [];
  const { command, args, env, rest } = readCommand(given);
  const { headers, rest: plain } = readHeaders(rest);
  const address = ['url', 'httpUrl', 'serverUrl']
    .map((key) => given[key])
    .find((one) => one !== undefined && one !== '');
  const type = readTransport(given, problems);
  const entry: Record<string, Json> = {
    ...defined({ type }),
    ...(command === undefined || (command === '' && address !== undefined) ? {} : { command }),
    ...defined({ url: address, args, env, headers }),
  };
  for (const [key, toolNames] of [
    ['allow', ALLOWED],
    ['deny', DENIED],
  ] as const) {
    const names = readToolNames(plain, toolNames, problems);
    if (names !== undefined) entry[key] = names;
  }
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(plain)) {
    const milliseconds = readSeconds(key, value);
    if (milliseconds !== undefined) Object.assign(entry, milliseconds);
    else if (OURS.has(key)) entry[key] = value;
    else if (APPROVALS.has(key)) notes.push(...describeApproval(key, value));
    else if (!READ.has(key) && !PASSED_OVER.has(key)) unknown.push(key);
  }
  const oauth = address === undefined ? given.oauth : readOAuth(given);
  if (oauth !== undefined) entry.oauth = oauth;
  for (const key of unknown.filter((one) => RESTRICTION.test(one))) {
    problems.push(`has ${key}, which looks like a restriction and is not understood; write allow or deny instead`);
  }
  if (
    given.source === 'extension' ||
    (given.settings !== undefined && command === undefined && address === undefined)
  ) {
    problems.push('is a Zed extension, which only Zed can start');
  }
  if (given.uses !== undefined) problems.push("comes from Continue's hub, which only Continue can read");
  return { entry, problems, notes, unknown };
}

/** How users sign in, in each client's format. What the server announces itself is ignored. */
function readOAuth({ oauth, auth, scopes }: JsonObject): Json | undefined {
  if (oauth !== undefined && !isJsonObject(oauth)) return oauth;
  if (isJsonObject(oauth) && oauth.enabled === false) return false;
  const given = { ...(isJsonObject(auth) ? auth : {}), ...(isJsonObject(oauth) ? oauth : {}) };
  const pick = (...keys: readonly string[]): Json | undefined =>
    keys.map((key) => given[key]).find((value) => value !== undefined && value !== '');
  const asked = pick('scopes', 'scope') ?? (isJsonObject(oauth) || isJsonObject(auth) ? undefined : scopes);
  const others = Object.entries(isJsonObject(oauth) ? oauth : {}).filter(([key]) => !OAUTH_WORDS.has(key));
  const block = defined({
    ...Object.fromEntries(others),
    clientId: pick('clientId', 'client_id', 'CLIENT_ID'),
    clientSecret: pick('clientSecret', 'client_secret', 'CLIENT_SECRET'),
    clientMetadataUrl: pick('clientMetadataUrl'),
    scopes: typeof asked === 'string' ? asked.split(/\s+/).filter(Boolean) : asked,
  });
  return Object.keys(block).length === 0 ? undefined : (block as JsonObject);
}

/** Keys of clients' blocks that were read, or that the server announces itself. */
const OAUTH_WORDS: ReadonlySet<string> = new Set([
  ...['clientId', 'client_id', 'CLIENT_ID', 'clientSecret', 'client_secret', 'CLIENT_SECRET', 'clientMetadataUrl'],
  ...['scopes', 'scope', 'enabled', 'authorizationUrl', 'tokenUrl', 'registrationUrl', 'issuer', 'audiences'],
  ...['redirectUri', 'redirect_uri', 'callbackPort', 'tokenParamName', 'resource'],
]);

interface ReadCommand {
  readonly command: Json | undefined;
  readonly args: Json | undefined;
  readonly env: Json | undefined;
  readonly rest: JsonObject;
}

/** Zed nests it, opencode lists it with its arguments. */
function readCommand({ command, args, env, environment, env_vars, ...rest }: JsonObject): ReadCommand {
  if (isJsonObject(command)) {
    return { command: command.path, args: command.args ?? args, env: command.env ?? env, rest };
  }
  const handedOn = Array.isArray(env_vars)
    ? Object.fromEntries(
        env_vars.map((one) => (isJsonObject(one) ? one.name : one)).map((name) => [name, `\${${name}:-}`]),
      )
    : undefined;
  const given = env ?? environment;
  const variables = handedOn === undefined ? given : { ...handedOn, ...(isJsonObject(given) ? given : {}) };
  if (!Array.isArray(command)) return { command, args, env: variables, rest };
  const [first, ...others] = command;
  return { command: first, args: [...others, ...(Array.isArray(args) ? args : [])], env: variables, rest };
}

/** Codex names variables instead of writing values; Continue has its headers one level deeper. */
function readHeaders(given: JsonObject): { readonly headers: Json | undefined; readonly rest: JsonObject } {
  const { headers, http_headers, env_http_headers, bearer_token_env_var, requestOptions, ...rest } = given;
  const deeper = isJsonObject(requestOptions) ? requestOptions.headers : undefined;
  const plain = headers ?? http_headers ?? deeper;
  if (env_http_headers === undefined && bearer_token_env_var === undefined) return { headers: plain, rest };
  const variables = Object.entries(isJsonObject(env_http_headers) ? env_http_headers : {});
  return {
    headers: {
      ...(isJsonObject(plain) ? plain : {}),
      ...Object.fromEntries(variables.map(([name, variable]) => [name, `\${${variable}}`])),
      ...(bearer_token_env_var === undefined ? {} : { Authorization: `Bearer \${${bearer_token_env_var}}` }),
    },
    rest,
  };
}

function readTransport({ type, transport, httpUrl }: JsonObject, problems: string[]): Json | undefined {
  const given = type ?? transport;
  if (typeof given !== 'string') return given ?? (httpUrl === undefined ? undefined : 'http');
  if (/^(?:ws|wss|websocket)$/i.test(given)) {
    problems.push('uses WebSocket, which is not supported; servers are reached as stdio, http or sse');
    return undefined;
  }
  if (/^streamable[-_]?http$/i.test(given)) return 'streamable-http';
  if (given === 'remote') return undefined;
  return given === 'local' ? 'stdio' : given;
}

/** The names that are in all of the equivalent lists. */
function readToolNames(given: JsonObject, keys: readonly string[], problems: string[]): string[] | undefined {
  const present = keys.filter((key) => given[key] !== undefined && given[key] !== null);
  const lists = present.flatMap((key) => {
    const value = given[key];
    // Codex has a table of approvals under a name that others use for a list of tools.
    if (key === 'tools' && isJsonObject(value)) return [];
    if (isTexts(value)) return [value];
    problems.push(`has ${key}, which is not a list of tool names, so it can't be kept`);
    return [];
  });
  if (keys === ALLOWED && lists.length > 1) {
    problems.push(`has ${present.join(' and ')}: keep one of them`);
  }
  return lists.length === 0 ? undefined : lists.flat();
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function readSeconds(key: string, value: Json | undefined): JsonObject | undefined {
  const name =
    key === 'startup_timeout_sec' ? 'connectTimeoutMs' : key === 'tool_timeout_sec' ? 'callTimeoutMs' : undefined;
  return name === undefined || typeof value !== 'number' ? undefined : { [name]: Math.round(value * 1000) };
}

function describeApproval(key: string, value: Json | undefined): readonly string[] {
  const isEmpty = value === false || value === null || (Array.isArray(value) && value.length === 0);
  return isEmpty ? [] : [`${key} is not carried over: your client asks about the tools that it sees now`];
}

const ALLOWED: readonly string[] = [
  'allow',
  'includeTools',
  'enabledTools',
  'enabled_tools',
  'allowedTools',
  'allowed_tools',
  'tools',
];
const DENIED: readonly string[] = [
  'deny',
  'excludeTools',
  'disabledTools',
  'disabled_tools',
  'excludedTools',
  'excluded_tools',
  'deniedTools',
];

/** Our settings that clients don't have, or that mean the same there. */
const OURS: ReadonlySet<string> = new Set([
  'cwd',
  'envFile',
  'policy',
  'connectTimeoutMs',
  'listTimeoutMs',
  'callTimeoutMs',
  'protocolVersion',
  'disabled',
]);

/** What may be called without asking; the client identifies tools by the names that it sees, which have changed. */
const APPROVALS: ReadonlySet<string> = new Set([
  'autoApprove',
  'alwaysAllow',
  'trust',
  'default_tools_approval_mode',
  'autoApproveTools',
  'requireApproval',
]);

/** Keys that were read above. */
const READ: ReadonlySet<string> = new Set([
  ...[...ALLOWED, ...DENIED, 'url', 'httpUrl', 'serverUrl', 'type', 'transport', 'enabled'],
  ...['oauth', 'auth', 'scopes', 'source', 'settings', 'uses', 'name'],
]);

/** Keys that don't affect which tools there are. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  ...['description', 'icon', 'iconUrl', 'faviconUrl', 'title', 'displayName', 'note', 'notes', '//', 'id', 'version'],
  ...['timeout', 'connectionTimeout', 'networkTimeout', 'startup_timeout_ms', 'required', 'dev', 'isActive'],
  ...['gallery', 'fromGalleryId', 'registry', 'metadata', '_meta', 'alwaysLoad', 'oauth_resource', 'authProviderType'],
]);

const RESTRICTION = /(?:allow|den(?:y|ied)|block|exclu|inclu|disab|enab|restrict|forbid|permi|filter|only)/i;
