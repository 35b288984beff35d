import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { ClientServer, McpServerSettings } from '@quartermaster/host/config';
import { InputError } from '../input-error.ts';
import { leaveOutOurselves } from '../serving/index.ts';
import { rawServers, readSeen, type SeenFile, serversIn } from './client-file.ts';
import { editServers } from './edit-servers.ts';
import { type McpClient, rulesAbout, type StartCommand } from './known-clients.ts';
import type { OtherScopes } from './other-scopes.ts';
import type { Places } from './places.ts';

/** The client expands it for us, and we expand it for the servers. */
const WORKSPACE = `\${workspaceFolder}`;

/** The name of our own entry in clients' files. */
export const OUR_NAME = 'quartermaster';

/** What moving a client's servers would change. Nothing has been written yet. */
export interface InstallPlan {
  readonly client: McpClient;
  readonly seen: SeenFile;
  readonly after: string;
  readonly moved: readonly string[];
  /** Servers that stay in the client's file, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
  readonly notes: readonly { readonly server: string; readonly message: string }[];
  /** What people should know afterwards. */
  readonly remark?: string;
  /** The file with the servers behind Quartermaster. */
  readonly servers: { readonly path: string; readonly text: string };
}

export interface PlanOptions {
  readonly client: McpClient;
  readonly file: string;
  readonly places: Places;
  /** Where the servers move to. */
  readonly serversFile: string;
  /** How to start this program with files of servers. */
  start(...serversFiles: readonly string[]): StartCommand;
  readonly others?: OtherScopes;
}

/** Plans the move. Undefined if there is nothing to move. */
export function planInstall(options: PlanOptions): InstallPlan | undefined {
  const { client, file, places, serversFile, start, others = NO_OTHERS } = options;
  const seen = readSeen(file);
  const found = serversIn(seen.path, seen.text, client.project);
  if (found === undefined) return undefined;
  const ours = found.servers.filter(isOurselves);
  if (ours.length > 0) {
    throw new InputError(
      `${client.name} already has Quartermaster, as ${ours[0]?.name}: run "quartermaster mcp uninstall ${client.id}" first`,
    );
  }
  refuseNames(client, found.document, found.servers);
  const stays = (server: ClientServer): string | undefined =>
    server.isOff
      ? 'it is switched off'
      : server.problems.length > 0
        ? server.problems.map((problem) => `it ${problem}`).join('; ')
        : undefined;
  const moving = found.servers.filter((server) => stays(server) === undefined);
  if (moving.length === 0) return undefined;
  const entries = moving.map((server) => ({ ...server, ...withRules(server, { client, places, file: seen.path }) }));
  const texts = [
    JSON.stringify(entries.map(({ entry }) => entry)),
    ...others.hidden.map((path) => readSeen(path).text),
  ];
  const usesWorkspace = texts.some((text) => text.includes('${workspaceFolder'));
  const env = client.knowsWorkspace === true && usesWorkspace ? { QUARTERMASTER_WORKSPACE: WORKSPACE } : undefined;
  const entry = client.entry({ ...start(serversFile, ...others.hidden), ...defined({ env }) });
  const moved = moving.map(({ name }) => name);
  const document = {
    ...(found.inputs.length === 0 ? {} : { inputs: found.inputs }),
    mcpServers: Object.fromEntries(entries.map((one) => [one.name, one.entry])),
  };
  const after = editServers(seen.path, seen.text, {
    ...{ block: blockOf(client, found.document), project: client.project },
    remove: moved,
    add: { [OUR_NAME]: entry },
  });
  return {
    ...{ client, seen, moved },
    after: others.hiding.reduce((text, scope) => addServersFile({ path: seen.path, text }, scope, serversFile), after),
    ...defined({ remark: describeOthers(client, others, serversFile) }),
    left: found.servers.flatMap((server) => {
      const why = stays(server);
      return why === undefined ? [] : [{ name: server.name, why }];
    }),
    notes: entries.flatMap(({ name, notes }) => notes.map((message) => ({ server: name, message }))),
    servers: { path: serversFile, text: `${JSON.stringify(document, null, 2)}\n` },
  };
}

const NO_OTHERS: OtherScopes = { hidden: [], hiding: [], hidingFiles: [] };

function describeOthers(client: McpClient, others: OtherScopes, serversFile: string): string | undefined {
  const [file] = others.hidingFiles;
  if (file !== undefined) {
    return `In its project, the entry in ${file} hides this one. To use these servers there too, add ${serversFile} to its --mcp-config.`;
  }
  if (others.hidden.length + others.hiding.length === 0) return undefined;
  const warns = client.id === 'claude-code' ? ', although Claude Code warns about them' : '';
  return `In a project, its own entry hides yours of the same name, so it starts the servers of both. Keep both entries${warns}.`;
}

/** A project's entry hides the user's entry of the same name, so it also has to start the user's servers. */
function addServersFile(
  { path, text }: Pick<SeenFile, 'path' | 'text'>,
  scope: McpClient,
  serversFile: string,
): string {
  const ours = rawServers(serversIn(path, text, scope.project)?.document, scope.block)?.get(OUR_NAME);
  if (!isJsonObject(ours) || !Array.isArray(ours.args)) return text;
  const entry = { ...ours, args: [...ours.args, serversFile] };
  const edit = { block: scope.block, project: scope.project, remove: [OUR_NAME], add: { [OUR_NAME]: entry } };
  return editServers(path, text, edit);
}

/** VS Code's settings have the block one level deeper than its own file, and so does opencode from version 2 on. */
export function blockOf(client: McpClient, document: unknown): readonly string[] {
  const mcp = isJsonObject(document) && isJsonObject(document.mcp) ? document.mcp : undefined;
  if (client.id === 'opencode' && isJsonObject(mcp?.servers)) return ['mcp', 'servers'];
  const isDeeper = client.id === 'vscode' && isJsonObject(document) && document.servers === undefined;
  return isDeeper && mcp !== undefined ? ['mcp', ...client.block] : client.block;
}

export function isOurselves({ name, entry }: ClientServer): boolean {
  return leaveOutOurselves({ [name]: entry as unknown as McpServerSettings }).ourselves.length > 0;
}

function refuseNames(client: McpClient, document: unknown, servers: readonly ClientServer[]): void {
  if (servers.some(({ name }) => name === OUR_NAME)) {
    throw new InputError(`${client.name} has another server called ${OUR_NAME}; rename it first`);
  }
  const mcp = isJsonObject(document) ? document.mcp : undefined;
  const allowed = client.id === 'gemini' && isJsonObject(mcp) ? mcp.allowed : undefined;
  if (Array.isArray(allowed) && !allowed.includes(OUR_NAME)) {
    throw new InputError(
      `mcp.allowed does not name ${OUR_NAME}, so Gemini CLI would not start it; add it to the list first`,
    );
  }
}

/** An entry rewritten to work from another file, with the rules that the client keeps elsewhere. */
function withRules(
  { name, entry, notes }: ClientServer,
  { client, places, file }: { readonly client: McpClient; readonly places: Places; readonly file: string },
): Pick<ClientServer, 'entry' | 'notes'> {
  const rules = rulesAbout(client, places, name);
  const deny: readonly Json[] = [...(Array.isArray(entry.deny) ? entry.deny : []), ...rules.deny];
  const plain = client.expandsVariables ? entry : (escapeReferences(entry) as JsonObject);
  const { envFile } = plain;
  const isRelative = typeof envFile === 'string' && !isAbsolute(envFile) && !/^(?:~|\$\{)/.test(envFile);
  return {
    entry: {
      ...(fromFolder(plain, dirname(file)) as JsonObject),
      ...(isRelative ? { envFile: join(dirname(file), envFile) } : {}),
      ...(deny.length === 0 ? {} : { deny: [...new Set(deny)] }),
    },
    notes: [...notes, ...rules.notes],
  };
}

/** What the client passes on unchanged must reach the program unchanged. */
function escapeReferences(value: Json): Json {
  return mapTexts(value, (text) => text.replaceAll('${', '$${'));
}

/** `${file:name}` is relative to the folder of the file that contains it. */
function fromFolder(value: Json, folder: string): Json {
  return mapTexts(value, (text) =>
    text.replace(/\$\{file:(?![~/]|[A-Za-z]:)([^}]+)\}/g, (_, name: string) => `\${file:${join(folder, name)}}`),
  );
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: Json) => mapTexts(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one as Json, change)]));
}
