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
      ? [` from ${files} files`, ' together. A client sends only those of its own file; for one with all of them,']
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
  config: Pick<Config, 'mcpServers' | 'unusableServers'>,
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

/** A reason that names the command to run contains its own fix. */
function checkDown(
  name: string,
  reason: string | undefined,
  { mcpServers, unusableServers }: Pick<Config, 'mcpServers' | 'unusableServers'>,
): Check {
  const [what = '', command] = (reason ?? 'no reason given').split(REMEDY);
  const unusable = unusableServers.find((one) => one.name === name);
  if (command === undefined) {
    const fix = unusable === undefined ? fixFor(mcpServers[name]) : `correct its entry in ${unusable.source}`;
    return problem('servers', `${name} ${unusable === undefined ? 'does not respond' : "can't be used"}: ${what}`, fix);
  }
  const file = unusable === undefined ? '' : ` --mcp-config ${unusable.source}`;
  return problem('servers', `${name} can't be used: ${what}`, `${command}${file}`);
}

/** The text between a reason and the command to run. */
const REMEDY = /; (?:run|answer it once with): /;

function fixFor(settings: Config['mcpServers'][string] | undefined): string {
  if (settings === undefined) return 'correct its entry';
  if ('url' in settings) return 'check its URL, and that it can be reached from this machine';
  return 'run its command in a terminal to see the error, then correct its entry';
}
