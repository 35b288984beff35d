import { createSnapshot, parseTools, type Snapshot, type Tool } from '@quartermaster/core';
import { diffSnapshots, type SnapshotDiff, type ToolFormat, writeTool } from '@quartermaster/core/catalog';
import { write } from '../command-io.ts';
import {
  type CommandContext,
  type DiffCatalogsFlags,
  type ListCatalogsFlags,
  loadCatalog,
  type PushCatalogFlags,
} from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { readTools } from '../input/index.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { counted, oneLine, renderTable } from '../terminal/index.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { renderCatalogDiff } from './render-catalog-diff.ts';

/** Uploads tools under a name. What changes is shown first, since the gateway replaces the catalog as a whole. */
export async function pushCatalog(name: string, flags: PushCatalogFlags, context: CommandContext): Promise<void> {
  if (flags.tools === undefined && flags.mcpConfig === undefined) {
    throw new InputError('Choose the tools to upload with --tools FILE or --mcp-config FILE');
  }
  const { io, terminal } = context;
  const client = createGatewayClient(flags, io.env);
  const snapshot = await loadCatalog(flags, context);
  const before = await findRemote(client, name);
  const size = counted(snapshot.tools.length, 'tool');
  const change = before === undefined ? `${name} is new: ${size}.` : renderCatalogDiff(before, snapshot, terminal);
  await write(io.stdout, `${change}\n`);
  if (flags.dryRun === true) {
    await write(io.stderr, 'Nothing was uploaded (--dry-run).\n');
    return;
  }
  if (before?.hash === snapshot.hash) {
    await write(io.stderr, `${name} on ${client.url} is up to date.\n`);
    return;
  }
  const body = JSON.stringify(snapshot.tools.map(definitionOf));
  await client.json(pathOf(name), { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  await write(io.stderr, `Uploaded ${size} as ${name} to ${client.url}\n`);
}

export async function listCatalogs(flags: ListCatalogsFlags, { io, terminal }: CommandContext): Promise<void> {
  const client = createGatewayClient(flags, io.env);
  const { data } = (await client.json('/v1/catalogs')) as { readonly data?: unknown };
  if (!Array.isArray(data)) throw notAGateway(client);
  const catalogs: readonly unknown[] = data;
  if (flags.json === true) {
    await write(io.stdout, catalogs.map((catalog) => `${JSON.stringify(catalog)}\n`).join(''));
    return;
  }
  const rows = catalogs.map((catalog) => rowOf(catalog, terminal.width));
  const columns = [{ title: 'name' }, { title: 'tools', align: 'right' as const }, { title: 'updated' }, { title: '' }];
  const text = rows.length === 0 ? 'There are no catalogs that this key may use.' : renderTable(columns, rows);
  await write(io.stdout, `${text}\n`);
}

/** Compares two catalogs, each a file or one of the gateway's. As `diff` does, it ends with 1 if they differ. */
export async function diffCatalogs(
  sides: { readonly before: string; readonly after: string },
  flags: DiffCatalogsFlags,
  context: CommandContext,
): Promise<void> {
  const { io, terminal } = context;
  const [before, after] = [await readSide(sides.before, flags, context), await readSide(sides.after, flags, context)];
  const diff = diffSnapshots(before, after);
  const text =
    flags.json === true ? JSON.stringify(summaryOf(diff), null, 2) : renderCatalogDiff(before, after, terminal);
  await write(io.stdout, `${text}\n`);
  if (!diff.same) context.exit(EXIT.findings);
}

const REMOTE = 'gateway:';

async function readSide(side: string, flags: DiffCatalogsFlags, { io }: CommandContext): Promise<Snapshot> {
  if (!side.startsWith(REMOTE)) {
    return (await readTools([side], { stdin: io.stdin, maxTools: MOST_TOOLS })).snapshot;
  }
  const name = side.slice(REMOTE.length);
  const client = createGatewayClient(flags, io.env);
  const found = await findRemote(client, name);
  if (found === undefined) throw new InputError(`${client.url} has no catalog ${oneLine(name, 128)} for this key`);
  return found;
}

/** More than any gateway stores; a file of more is refused with this number. */
const MOST_TOOLS = 1_000_000;

async function findRemote(client: GatewayClient, name: string): Promise<Snapshot | undefined> {
  const list = (await client.json('/v1/catalogs')) as { readonly data?: unknown };
  if (!Array.isArray(list.data)) throw notAGateway(client);
  if (!list.data.some((one: { readonly name?: unknown } | null) => one?.name === name)) return undefined;
  const { tools } = (await client.json(pathOf(name))) as { readonly tools?: unknown };
  return createSnapshot(parseTools(tools, { onProblem: 'throw', source: name }).tools, { maxTools: MOST_TOOLS });
}

function pathOf(name: string): string {
  return `/v1/catalogs/${encodeURIComponent(name)}`;
}

function notAGateway({ url }: GatewayClient): UnavailableError {
  return new UnavailableError(`${url} did not answer with a list of catalogs; is it a Quartermaster gateway?`);
}

/** A definition as it came, with its server beside it. */
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
    Number(tools).toLocaleString('en-US'),
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
