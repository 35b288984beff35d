import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { InputError } from '../input-error.ts';
import { readSeen } from './client-file.ts';
import type { Places } from './places.ts';

/** A program that starts MCP servers, and the format of its configuration. */
export interface McpClient {
  /** Its name on the command line. */
  readonly id: string;
  readonly name: string;
  /** The user's files that may have its servers. The first one that exists counts where a client is named. */
  files(places: Places): readonly string[];
  /** Files below a project's folder that may have servers, too. @default none */
  readonly projectFiles?: readonly string[];
  /** Where its servers are in the file. */
  readonly block: readonly string[];
  /** Our own entry. */
  entry(start: StartCommand): JsonObject;
  /** Whether it expands `${NAME}` itself. If not, servers receive these characters. */
  readonly expandsVariables: boolean;
  /** Whether it expands `${workspaceFolder}`. @default false */
  readonly knowsWorkspace?: boolean;
  /** Whether it uses both the user's server and a project's of the same name, instead of the project's alone. @default false */
  readonly showsAllScopes?: boolean;
  /** Rules by tool name that it keeps in another file: where, and which tool of a server one is about. */
  readonly rules?: { file(places: Places): string; toolIn(rule: string, server: string): string | undefined };
  /** What else people should know before servers move. */
  readonly caveat?: string;
  /** The same, where the user's own file is moved. */
  readonly userCaveat?: string;
  /** The project folder of these servers, if Claude Code keeps them per project (its scope "local"). */
  readonly project?: string;
}

/** How to start this program. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The format that most clients use for a server. */
function plainEntry({ command, args, env }: StartCommand): JsonObject {
  return { command, args, ...defined({ env }) };
}

const typedEntry = (start: StartCommand): JsonObject => ({ type: 'stdio', ...plainEntry(start) });

/** Claude Code waits for such a server before its first request, and does not hide its tools behind its own search. */
const claudeEntry = (start: StartCommand): JsonObject => ({ ...typedEntry(start), alwaysLoad: true });

/** Codex starts without the tools of a server that takes a second to start, unless the server is required. */
const codexEntry = (start: StartCommand): JsonObject => ({ ...plainEntry(start), required: true });

/** What most clients have in common. */
const USUAL = { block: ['mcpServers'], expandsVariables: true, entry: plainEntry };

/** Every client whose servers can be moved. */
export const CLIENTS: readonly McpClient[] = [
  {
    ...{ ...USUAL, id: 'claude-code', name: 'Claude Code', entry: claudeEntry },
    files: ({ home, env }) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    projectFiles: ['.mcp.json'],
    rules: {
      file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
      toolIn: claudeToolIn,
    },
    userCaveat:
      'These are the servers of the scope "user". Servers of one project are moved with --project FOLDER, those of a .mcp.json with --file FILE.',
  },
  {
    ...{ ...USUAL, id: 'claude-desktop', name: 'Claude Desktop', expandsVariables: false },
    files: ({ applications }) => [join(applications, 'Claude', 'claude_desktop_config.json')],
  },
  {
    ...{ ...USUAL, id: 'cursor', name: 'Cursor', knowsWorkspace: true },
    files: ({ home }) => [join(home, '.cursor', 'mcp.json')],
    projectFiles: [join('.cursor', 'mcp.json')],
    rules: { file: ({ home }) => join(home, '.cursor', 'cli-config.json'), toolIn: cursorToolIn },
    caveat:
      "Tools that you switched off on Cursor's settings page are not in this file: deny them in the servers' file.",
  },
  {
    ...{ ...USUAL, id: 'vscode', name: 'VS Code', block: ['servers'], knowsWorkspace: true, entry: typedEntry },
    showsAllScopes: true,
    files: ({ applications }) =>
      ['Code', 'Code - Insiders', 'VSCodium'].map((name) => join(applications, name, 'User', 'mcp.json')),
    projectFiles: [join('.vscode', 'mcp.json')],
    caveat:
      "Tools that you switched off in VS Code's tool picker are not in this file: deny them in the servers' file.",
  },
  {
    ...{ ...USUAL, id: 'windsurf', name: 'Windsurf' },
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  },
  {
    ...{ ...USUAL, id: 'zed', name: 'Zed', block: ['context_servers'], expandsVariables: false },
    files: ({ xdg, applications }) => [join(xdg, 'zed', 'settings.json'), join(applications, 'Zed', 'settings.json')],
    projectFiles: [join('.zed', 'settings.json')],
    entry: (start) => ({ source: 'custom', ...plainEntry(start) }),
    caveat: "Tools that a profile of Zed's switches on or off are not carried over.",
  },
  {
    ...{ ...USUAL, id: 'codex', name: 'Codex', block: ['mcp_servers'], expandsVariables: false, entry: codexEntry },
    files: ({ home, env }) => [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
    projectFiles: [join('.codex', 'config.toml')],
  },
  {
    ...{ ...USUAL, id: 'gemini', name: 'Gemini CLI' },
    files: ({ home }) => [join(home, '.gemini', 'settings.json')],
    projectFiles: [join('.gemini', 'settings.json')],
  },
  {
    ...{ ...USUAL, id: 'opencode', name: 'opencode', block: ['mcp'] },
    files: ({ xdg }) => ['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => join(xdg, 'opencode', name)),
    projectFiles: ['opencode.json', 'opencode.jsonc'],
    entry: ({ command, args, env }) => ({
      ...{ type: 'local', command: [command, ...args] },
      ...defined({ environment: env }),
    }),
  },
  {
    ...{ ...USUAL, id: 'cline', name: 'Cline', expandsVariables: false },
    files: ({ home, applications }) => [
      join(applications, 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev', CLINE_FILE),
      join(home, '.cline', 'data', CLINE_FILE),
    ],
  },
  {
    ...{ ...USUAL, id: 'continue', name: 'Continue' },
    files: ({ home, env }) => [join(env.CONTINUE_GLOBAL_DIR || join(home, '.continue'), 'config.yaml')],
    entry: (start) => ({ name: 'quartermaster', ...plainEntry(start) }),
  },
];

const CLINE_FILE = join('settings', 'cline_mcp_settings.json');

/** The same client, for the servers that it keeps for one project. */
export function ofProject(client: McpClient, project: string): McpClient {
  const { caveat: _, userCaveat: __, ...rest } = client;
  return {
    ...{ ...rest, project, name: `${client.name} (project ${project})` },
    block: ['projects', project, ...client.block],
  };
}

/** `mcp__server__tool` and `mcp__server` in Claude Code's permissions. */
function claudeToolIn(rule: string, server: string): string | undefined {
  const prefix = `mcp__${server}`;
  if (rule === prefix) return '*';
  return rule.startsWith(`${prefix}__`) ? rule.slice(prefix.length + 2) : undefined;
}

/** `Mcp(server:tool)` in the permissions of Cursor's command line. */
function cursorToolIn(rule: string, server: string): string | undefined {
  const [, named, tool] = /^Mcp\(([^:)]+):([^)]+)\)$/.exec(rule) ?? [];
  return named === server || named === '*' ? tool : undefined;
}

/** What a client's rules say about the tools of a server, as far as they can be read: most users have none. */
export function rulesAbout(
  { rules }: McpClient,
  places: Places,
  server: string,
): { readonly deny: readonly string[]; readonly notes: readonly string[] } {
  if (rules === undefined) return { deny: [], notes: [] };
  const { allow, deny, ask } = readRules(rules.file(places));
  const about = (list: unknown): readonly string[] =>
    (Array.isArray(list) ? list : []).flatMap((rule) =>
      typeof rule === 'string' ? (rules.toolIn(rule, server) ?? []) : [],
    );
  return { deny: about(deny), notes: about(ask).length + about(allow).length === 0 ? [] : [ASKED] };
}

const ASKED =
  'rules about asking before its tools run are not carried over, because your client now sees other tool names';

function readRules(file: string): JsonObject {
  if (!existsSync(file)) return {};
  // It may contain a restriction, which must not be lost silently.
  const { text } = readSeen(file);
  try {
    const document: unknown = JSON.parse(text);
    return isJsonObject(document) && isJsonObject(document.permissions) ? document.permissions : {};
  } catch (error) {
    throw new InputError(`${file} is not valid JSON, so its rules about tools can't be kept; fix it first`, {
      cause: error,
    });
  }
}
