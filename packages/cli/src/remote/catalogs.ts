import { existsSync } from 'node:fs';
import { createSnapshot, parseTools, type Snapshot, type Tool } from '@quartermaster/core';
import {
  type ChangedTool,
  diffSnapshots,
  type SnapshotDiff,
  type ToolFormat,
  writeTool,
} from '@quartermaster/core/catalog';
import { snapshotTokens } from '@quartermaster/core/gate';
import { note, print, write } from '../command-io.ts';
import {
  type CatalogFlags,
  type CommandContext,
  type GatewayFlags,
  type JsonFlag,
  loadCatalog,
} from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { readTools } from '../input/index.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { count, counted, oneLine, printRows, right, startProgress, type Terminal } from '../terminal/index.ts';
import { openGateway, type RemoteGateway } from './gateway-client.ts';

interface PushCatalogFlags extends GatewayFlags, CatalogFlags {
  readonly dryRun?: true;
}

/** Uploads tools under a name. Shows the changes first, because the gateway replaces the whole catalog. */
export async function pushCatalog(name: string, flags: PushCatalogFlags, context: CommandContext): Promise<void> {
  if (flags.tools === undefined && flags.mcpConfig === undefined) {
    throw new InputError('Choose the tools to upload with --tools FILE or --mcp-config FILE');
  }
  const { io, terminal } = context;
  const gateway = openGateway(flags, io.env);
  const snapshot = await loadCatalog(flags, context);
  const before = await findRemote(gateway, name);
  const size = counted(snapshot.tools.length, 'tool');
  const change = before === undefined ? `${name} is new: ${size}.` : renderCatalogDiff(before, snapshot, terminal);
  await print(io, change);
  if (flags.dryRun === true) {
    await note(io, 'Nothing was uploaded (--dry-run).');
    return;
  }
  if (before?.hash === snapshot.hash) {
    await note(io, `${name} on ${gateway.url} is up to date.`);
    return;
  }
  const body = { tools: snapshot.tools.map(definitionOf) };
  const stored = await gateway.ask((client) => client.request('PUT /v1/catalogs/{name}', { path: { name }, body }));
  const findings = (stored.findings ?? []).map(({ tool, message }) => `${oneLine(`${tool}: ${message}`, 200)}\n`);
  await write(io.stderr, `Uploaded ${size} as ${name} to ${gateway.url}\n${findings.join('')}`);
}

export async function listCatalogs(flags: GatewayFlags & JsonFlag, { io, terminal }: CommandContext): Promise<void> {
  await printRows(io, {
    rows: await listRemote(openGateway(flags, io.env)),
    isJson: flags.json === true,
    columns: ['name', right('tools'), 'updated', ''],
    cellsOf: (catalog) => rowOf(catalog, terminal.width),
    none: 'There are no catalogs that this key may use.',
  });
}

/** Makes another key the owner of a catalog. */
export async function giveCatalog(
  name: string,
  owner: string,
  flags: GatewayFlags,
  { io }: CommandContext,
): Promise<void> {
  const gateway = openGateway(flags, io.env);
  await gateway.ask((client) => client.request('PATCH /v1/catalogs/{name}', { path: { name }, body: { owner } }));
  await note(io, `${oneLine(name, 200)} on ${gateway.url} belongs to ${oneLine(owner, 200)} now`);
}

/** Compares two catalogs, each a file or one of the gateway's. Like `diff`, it exits with 1 if they differ. */
export async function diffCatalogs(
  first: string,
  second: string,
  flags: GatewayFlags & JsonFlag,
  context: CommandContext,
): Promise<void> {
  const { io, terminal } = context;
  const [before, after] = [await readSide(first, flags, context), await readSide(second, flags, context)];
  const diff = diffSnapshots(before, after);
  const text =
    flags.json === true ? JSON.stringify(summaryOf(diff), null, 2) : renderCatalogDiff(before, after, terminal);
  await print(io, text);
  if (!diff.same) context.exit(EXIT.findings);
}

const REMOTE = 'gateway:';

async function readSide(side: string, flags: GatewayFlags & JsonFlag, { io }: CommandContext): Promise<Snapshot> {
  if (!side.startsWith(REMOTE)) {
    if (/^[\w.-]+$/.test(side) && side !== '-' && !existsSync(side)) {
      throw new InputError(`${side}: there is no such file. For a catalog of the gateway, write ${REMOTE}${side}`);
    }
    const progress = startProgress(io);
    const onProgress = (tools: number): void => progress.update('Tools read', tools);
    const read = readTools([side], { stdin: io.stdin, maxTools: MOST_TOOLS, onProgress });
    return (await read.finally(() => progress.end())).snapshot;
  }
  const name = side.slice(REMOTE.length);
  const gateway = openGateway(flags, io.env);
  const found = await findRemote(gateway, name);
  if (found === undefined) throw new InputError(`${gateway.url} has no catalog ${oneLine(name, 128)} for this key`);
  return found;
}

/** More than any gateway stores; a larger file is refused with this number. */
const MOST_TOOLS = 1_000_000;

/** An answer may be anything, because an address can be mistyped. */
async function listRemote({ url, ask }: RemoteGateway): Promise<readonly unknown[]> {
  const { data }: { readonly data?: unknown } = await ask((client) => client.request('GET /v1/catalogs'));
  if (Array.isArray(data)) return data;
  throw new UnavailableError(`${url} did not answer with a list of catalogs; is it a Quartermaster gateway?`);
}

async function findRemote(gateway: RemoteGateway, name: string): Promise<Snapshot | undefined> {
  const listed = await listRemote(gateway);
  if (!listed.some((one) => (one as { readonly name?: unknown } | null)?.name === name)) return undefined;
  const { tools } = await gateway.ask((client) => client.request('GET /v1/catalogs/{name}', { path: { name } }));
  return createSnapshot(parseTools(tools, { onProblem: 'throw', source: name }).tools, { maxTools: MOST_TOOLS });
}

/** A definition as received, with its server. */
function definitionOf(tool: Tool): object {
  const [format = 'mcp'] = Object.keys(tool.extras.verbatim ?? {}) as ToolFormat[];
  return { ...writeTool(tool, format), ...(tool.server === undefined ? {} : { server: tool.server }) };
}

function rowOf(catalog: unknown, width: number): readonly string[] {
  const {
    name,
    tool_count: tools,
    updated_at: updated,
    read_only: isServer,
    error,
  } = catalog as Record<string, unknown>;
  return [
    oneLine(String(name), 40),
    count(Number(tools)),
    typeof updated === 'string' ? oneLine(updated, 40).slice(0, 16).replace('T', ' ') : '',
    typeof error === 'string' ? oneLine(error, Math.max(20, width - 50)) : isServer === true ? 'MCP servers' : '',
  ];
}

function summaryOf({ added, removed, changed, same }: SnapshotDiff): object {
  return {
    same,
    added: added.map(({ id }) => id),
    removed: removed.map(({ id }) => id),
    changed: changed.map(({ after, fields }) => ({ id: after.id, fields })),
  };
}

/** Counts first, then added tools with `+`, removed ones with `-`, and changed ones with `~` and what changed. */
function renderCatalogDiff(before: Snapshot, after: Snapshot, terminal: Terminal): string {
  const { added, removed, changed, same } = diffSnapshots(before, after);
  if (same) return 'No difference.';
  if (added.length + removed.length + changed.length === 0) return 'The same tools in another order.';
  const { paint } = terminal;
  const headline = `${counted(added.length, 'tool')} added, ${count(removed.length)} removed, ${count(changed.length)} changed; ${difference(before, after)} tokens.`;
  return [
    paint.bold(headline),
    ...added.map((tool) => paint.green(line('+', tool.id, tool.description, terminal))),
    ...removed.map((tool) => line('-', tool.id, '', terminal)),
    ...changed.map((change) => paint.yellow(line('~', change.after.id, fieldsOf(change), terminal))),
  ].join('\n');
}

function line(mark: string, id: string, note: string, { width }: Terminal): string {
  return oneLine(`${mark} ${id}${note === '' ? '' : `  ${note}`}`, width);
}

/** The whole definition adds nothing to its fields, unless nothing else differs. */
function fieldsOf({ fields }: ChangedTool): string {
  const named = fields.filter((field) => field !== 'definition');
  return (named.length === 0 ? fields : named).join(', ');
}

function difference(before: Snapshot, after: Snapshot): string {
  const tokens = snapshotTokens(after).total - snapshotTokens(before).total;
  return `${tokens > 0 ? '+' : tokens < 0 ? '−' : ''}${count(Math.abs(tokens))}`;
}
