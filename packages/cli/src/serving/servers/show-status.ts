import { defined } from '@quartermaster/core/internal';
import type { ServerNote } from '@quartermaster/host/config';
import { print } from '../../command-io.ts';
import type { CommandContext, JsonFlag } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { count, counted, oneLine, percentOf, renderTable, right, type Terminal, wrap } from '../../terminal/index.ts';
import { measureConfigured, type ServerCost, type ServerCosts, type StatusFlags } from './measure-configured.ts';
import { type RunningStatus, readRunning } from './running-status.ts';

/** Starts the servers, reports their state and what their tools cost, and stops them. */
export async function showStatus(flags: StatusFlags & JsonFlag, { io, terminal, exit }: CommandContext): Promise<void> {
  const isJson = flags.json === true;
  const { costs, config, files } = await measureConfigured(flags, {
    io,
    onStart(servers) {
      if (!isJson && servers > 0) io.stderr.write(`Starting ${counted(servers, 'server')}…\n`);
    },
  });
  const report = { costs, files, notes: config.notes, running: readRunning(io.env) };
  if (!isJson && costs.servers.length === 0 && report.running.length === 0) throw new InputError(NO_SERVERS);
  const text = isJson ? JSON.stringify(report, null, 2) : renderStatus(report, terminal);
  await print(io, text);
  if (costs.servers.some(({ state }) => state === 'down')) exit(EXIT.nothingFound);
}

const NO_SERVERS = `There are no MCP servers in the settings. To move those of your clients behind Quartermaster:

  quartermaster init

Or name the file that has them:

  quartermaster mcp status --mcp-config .mcp.json`;

interface StatusReport {
  readonly costs: ServerCosts;
  /** How many files with servers there are, besides the settings. @default 1 */
  readonly files?: number;
  readonly notes: readonly ServerNote[];
  readonly running: readonly RunningStatus[];
}

/** The state of servers, for a terminal. */
export function renderStatus({ costs, files, notes, running }: StatusReport, terminal: Terminal): string {
  const { paint } = terminal;
  const findings = costs.servers.flatMap((server) => server.findings ?? []);
  const unused = notes.map(({ server, message }) => `${server}: ${message}`);
  return [
    renderCosts(costs, terminal, defined({ files })),
    ...section('Definitions to review', shorten(findings), terminal),
    ...section('Not used', unused, terminal),
    ...running.flatMap((one) => renderRunning(one, terminal)),
    paint.dim('Tokens are estimated.'),
  ].join('\n\n');
}

interface CostsOptions {
  /** How many files the servers come from: no client sends the tools of another's file. @default 1 */
  readonly files?: number;
  /** Leaves out what is the same for every client. @default false */
  readonly isBrief?: boolean;
}

/** The servers with their tokens, what deferral saves, and what is wrong with servers. */
export function renderCosts(
  costs: ServerCosts,
  terminal: Terminal,
  { files = 1, isBrief = false }: CostsOptions = {},
): string {
  const { paint, width } = terminal;
  const { servers, tools, tokens, deferredTokens, contextTokens } = costs;
  const kept = tokens - deferredTokens;
  const isMixed = files > 1;
  const takes = servers.length === 1 ? 'takes' : 'take';
  const headline =
    tools === 0
      ? describeNoTools(servers.length)
      : [
          `${counted(servers.length, 'server')} with ${counted(tools, 'tool')}${isMixed ? ` from ${files} files` : ''} ${takes} about`,
          `${paint.bold(count(tokens))} tokens ${isMixed ? 'together' : 'of every request'},`,
          `${percentOf(tokens, contextTokens)} of a context window of ${count(contextTokens)}.`,
          ...(isMixed ? ['A client sends only the tools of its own servers.'] : []),
        ].join(' ');
  const saving = tools === 0 ? undefined : describeSaving(costs, paint.bold(count(kept)), isBrief);
  const most = Math.max(12, width - 40);
  const rows = servers.map((server) => [
    oneLine(server.name, most),
    stateOf(server),
    count(server.tools),
    count(server.tokens),
  ]);
  const problems = servers.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name}: ${reason}`]));
  return [
    wrap(headline, width),
    ...(saving === undefined ? [] : [wrap(saving, width)]),
    ...['', renderTable(['server', 'state', right('tools'), right('tokens')], rows)],
    ...section('Problems', problems, terminal).flatMap((text) => ['', text]),
  ].join('\n');
}

function describeNoTools(servers: number): string {
  return servers === 1 ? 'This server lists no tools.' : `These ${servers} servers list no tools.`;
}

function describeSaving(
  { tokens, deferredTokens, isDeferred }: ServerCosts,
  kept: string,
  isBrief: boolean,
): string | undefined {
  if (deferredTokens >= tokens) return 'These tools are sent in full: deferring so few would cost more than it saves.';
  if (isDeferred) return `Behind Quartermaster: ${count(deferredTokens)} tokens; ${kept} stay out of the window.`;
  if (isBrief) return undefined;
  return `That is less than 10% of the window, so your client still sees all tools. With --form bridge it sees three tools instead: ${count(deferredTokens)} tokens; ${kept} stay out of the window.`;
}

function renderRunning(
  { pid, startedAt, files, servers, errors }: RunningStatus,
  terminal: Terminal,
): readonly string[] {
  const ready = servers.filter(({ state }) => state === 'ready').length;
  const facts = [
    `since ${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${ready} of ${counted(servers.length, 'server')} connected`,
    ...files,
    ...errors.slice(-MOST_ERRORS).map(({ at, server, reason }) => `${at.slice(11, 19)} ${server}: ${reason}`),
  ];
  return section(`Running as process ${pid}`, facts, terminal);
}

/** A paragraph with a title, if it has lines. */
function section(title: string, lines: readonly string[], { paint, width }: Terminal): readonly string[] {
  const wrapped = lines.map((line) => wrap(oneLine(line, 1_000), width, { indent: 2, hanging: 4 }));
  return lines.length === 0 ? [] : [[paint.bold(title), ...wrapped].join('\n')];
}

function stateOf({ state, held, tools, reason }: ServerCost): string {
  if (state === 'down') return tools === 0 ? 'down' : 'down, last list kept';
  if (held > 0) return `${state}, ${held} held back`;
  return reason === undefined ? state : `${state}, see below`;
}

function shorten(findings: readonly string[]): readonly string[] {
  const more = findings.length - MOST_FINDINGS;
  return more <= 0 ? findings : [...findings.slice(0, MOST_FINDINGS), `and ${more} more`];
}

const MOST_ERRORS = 5;
const MOST_FINDINGS = 20;
