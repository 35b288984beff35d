import type { Snapshot } from '@quartermaster/core';
import { decideGate } from '@quartermaster/core/gate';
import type { Config } from '@quartermaster/host/config';
import { InputError } from '../input-error.ts';
import { configuredEngine, type ServerCosts } from '../serving/index.ts';
import { count, counted } from '../terminal/index.ts';
import { type Check, ok, problem, remark } from './check.ts';

export async function checkEngine({ search }: Pick<Config, 'search'>): Promise<Check> {
  try {
    const { engine, reason } = await configuredEngine(search);
    const message = `${engine} (${reason})`;
    return search.engine === 'auto' && engine === 'hybrid' ? remark('engine', message) : ok('engine', message);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [message = '', ...rest] = error.message.split('\n\n');
    return problem('engine', message, rest.join(' '));
  }
}

/** Whether these tools are deferred, why, and what that saves. */
export function checkDeferral(
  snapshot: Snapshot,
  { tools, tokens, deferredTokens, contextTokens }: ServerCosts,
  { config, files }: { readonly config: Pick<Config, 'tools' | 'mcp'>; readonly files: number },
): Check {
  if (tools === 0) return remark('deferral', 'there are no tools to defer');
  const limits = { contextTokens, source: 'override' } as const;
  const { form } = config.mcp;
  const { kind, reason } =
    form === undefined
      ? decideGate({ snapshot, settings: config.tools.gate, limits })
      : { kind: form === 'inline' ? form : 'defer', reason: `mcp.form is ${form}` };
  const saved = count(tokens - deferredTokens);
  const [source, share] =
    files > 1
      ? [
          ` from ${files} files`,
          ' together, but a client sends only those of its own file. For a client with all of them:',
        ]
      : ['', ';'];
  const cost = `${counted(tools, 'tool')}${source} ${tools === 1 ? 'takes' : 'take'} about ${counted(tokens, 'token')}${share}`;
  const effect =
    kind === 'defer'
      ? `deferral is on and keeps ${saved} of them out of every request`
      : deferredTokens < tokens
        ? `they are sent in full; deferral would keep ${saved} out of every request`
        : 'they are sent in full, which is cheaper than a search';
  return ok('deferral', `${cost} ${effect}. ${reason}.`);
}

export function checkServers(
  { servers }: ServerCosts,
  config: Pick<Config, 'mcpServers' | 'serverFiles' | 'unusableServers'>,
): readonly Check[] {
  if (servers.length === 0) {
    return [remark('servers', 'no MCP servers are configured', 'quartermaster init, or --mcp-config FILE')];
  }
  return servers.map(({ name, state, reason, tools, tokens, held }) => {
    if (state === 'down') return checkDown(name, reason, config);
    if (held > 0) {
      const message = `${name} responds, but ${counted(held, 'tool')} with changed definitions ${held === 1 ? 'is' : 'are'} held back`;
      return problem('servers', message, 'review and accept them with: quartermaster mcp accept');
    }
    return ok('servers', `${name} responds: ${counted(tools, 'tool')}, ${counted(tokens, 'token')}`);
  });
}

/** Clients may have servers of the same name: those of later files are not started, but their clients start them. */
export function checkIgnored({ notes }: Pick<Config, 'notes'>): readonly Check[] {
  const ignored = notes.filter((note) => note.ignored !== undefined);
  const unusable = ignored.flatMap(({ server, source, ignored: { reason } = {} }) =>
    reason === undefined ? [] : [checkUnusable(`${server} in ${source}`, { reason, source })],
  );
  const unchecked = ignored.flatMap(({ server, source, ignored: { reason } = {} }) =>
    reason === undefined ? [`${server} in ${source}`] : [],
  );
  if (unchecked.length === 0) return unusable;
  const others = unchecked.length > MOST_NAMED ? `, and ${unchecked.length - MOST_NAMED} more` : '';
  const named = unchecked.slice(0, MOST_NAMED).join(', ');
  const why = 'not checked, because an earlier file has another server of that name';
  const message = `${why}: ${named}${others}. To check one file: quartermaster doctor --mcp-config FILE`;
  return [...unusable, remark('servers', message)];
}

const MOST_NAMED = 3;

/** A reason that names the command to run contains its own fix. */
function checkDown(
  name: string,
  reason: string | undefined,
  { mcpServers, serverFiles, unusableServers }: Pick<Config, 'mcpServers' | 'serverFiles' | 'unusableServers'>,
): Check {
  const unusable = unusableServers.find((one) => one.name === name);
  if (unusable !== undefined) return checkUnusable(name, unusable);
  const [what = '', command] = (reason ?? 'no reason given').split(REMEDY);
  if (command !== undefined) return problem('servers', `${name} can't be used: ${what}`, command);
  const entry = `its entry in ${serverFiles.get(name) ?? 'the settings'}`;
  return problem('servers', `${name} does not respond: ${what}`, fixFor(what, entry, mcpServers[name]));
}

function checkUnusable(label: string, { reason, source }: { readonly reason: string; readonly source: string }): Check {
  const [what = '', command] = reason.split(REMEDY);
  if (command !== undefined) {
    return problem('servers', `${label} can't be used: ${what}`, `${command} --mcp-config ${source}`);
  }
  const [cause = '', remedy] = reason.split(SETTING);
  const fix = remedy === undefined ? `correct its entry in ${source}` : `set ${remedy}; its entry is in ${source}`;
  return problem('servers', `${label} can't be used: ${cause}`, fix);
}

/** The text between a reason and the command to run. */
const REMEDY = /; (?:run|answer it once with): /;
/** The text between a reason and what to set. */
const SETTING = /; set (?=[^;]+$)/;

function fixFor(what: string, entry: string, settings: Config['mcpServers'][string] | undefined): string {
  if (settings !== undefined && 'url' in settings) {
    return `check that it can be reached from this machine, and the URL of ${entry}`;
  }
  if (what.endsWith('was not found')) return `install it, or correct ${entry}`;
  return `run its command in a terminal to see the error, then correct ${entry}`;
}
