import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** What a client's file says about a server outside the server's own entry. */
export interface ServerRules {
  readonly isOff: boolean;
  readonly deny: readonly string[];
  /** What is not carried over. */
  readonly notes: readonly string[];
}

/** Restrictions that clients keep outside the server entries: Gemini CLI, opencode and Zed. */
export function readClientRules(document: unknown, server: string): ServerRules {
  if (!isJsonObject(document)) return { isOff: false, deny: [], notes: [] };
  const zed = readZed(document, server);
  return {
    isOff: isLeftOut(document, server),
    deny: [...new Set([...readOpencode(document, server), ...readGemini(document, server), ...zed.deny])],
    notes: zed.notes,
  };
}

function isLeftOut(document: JsonObject, server: string): boolean {
  const { mcp, allowMCPServers, excludeMCPServers } = document;
  const block: JsonObject = isJsonObject(mcp) ? mcp : {};
  const allowed = [textsOf(block.allowed), textsOf(allowMCPServers)].filter((list) => list !== undefined);
  const excluded = [...(textsOf(block.excluded) ?? []), ...(textsOf(excludeMCPServers) ?? [])];
  return excluded.includes(server) || allowed.some((list) => !list.includes(server));
}

/** Names of tools, with or without their server. A pattern with arguments is about one of Gemini's own programs. */
function readGemini({ tools, excludeTools }: JsonObject, server: string): readonly string[] {
  const names = [...(textsOf(isJsonObject(tools) ? tools.exclude : undefined) ?? []), ...(textsOf(excludeTools) ?? [])];
  return names
    .filter((name) => /^[\w.*-]+$/.test(name))
    .map((name) =>
      [`mcp_${server}_`, `${server}__`].reduce(
        (rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest),
        name,
      ),
    );
}

/** opencode names a tool by its server, an underscore and its name, and accepts patterns of that. */
function readOpencode({ mcp, tools, permission }: JsonObject, server: string): readonly string[] {
  if (!isJsonObject(mcp)) return [];
  const off = isJsonObject(tools) ? Object.entries(tools).filter(([, value]) => value === false) : [];
  const denied = isJsonObject(permission) ? Object.entries(permission).filter(([, value]) => value === 'deny') : [];
  return [...off, ...denied].flatMap(([pattern]) => withoutPrefix(pattern, `${server}_`));
}

/** What a pattern of whole names means for the names after the prefix. */
function withoutPrefix(pattern: string, prefix: string): readonly string[] {
  if (pattern.startsWith(prefix)) return [pattern.slice(prefix.length)];
  const star = pattern.indexOf('*');
  // `git*` matches every name that begins with `github_`; what follows the star may be anywhere after it.
  return star !== -1 && prefix.startsWith(pattern.slice(0, star)) ? [pattern.slice(star)] : [];
}

/** `agent.tool_permissions.tools` with names such as `mcp:server:tool`. */
function readZed({ agent }: JsonObject, server: string): Pick<ServerRules, 'deny' | 'notes'> {
  const permissions = isJsonObject(agent) ? agent.tool_permissions : undefined;
  const tools = isJsonObject(permissions) ? permissions.tools : undefined;
  const ours = Object.entries(isJsonObject(tools) ? tools : {}).filter(([key]) => key.startsWith(`mcp:${server}:`));
  const isDenied = (rule: unknown): boolean => isJsonObject(rule) && rule.default === 'deny';
  const deny = ours.filter(([, rule]) => isDenied(rule)).map(([key]) => key.slice(`mcp:${server}:`.length));
  const others = ours.length - deny.length;
  const note = 'agent.tool_permissions is not carried over where Zed asks before a tool runs';
  return { deny, notes: others === 0 ? [] : [note] };
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}
