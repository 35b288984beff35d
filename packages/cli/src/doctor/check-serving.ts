import type { Snapshot } from '@quartermaster/core';
import { decideGate } from '@quartermaster/core/gate';
import type { Config } from '@quartermaster/host/config';
import { InputError } from '../input-error.ts';
import { configuredEngine, type ServerCosts } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import type { Check } from './check.ts';

export async function checkEngine({ search }: Pick<Config, 'search'>): Promise<Check> {
  try {
    const { engine, reason } = await configuredEngine(search);
    const message = `${engine} (${reason})`;
    return { area: 'engine', status: search.engine === 'auto' && engine === 'hybrid' ? 'note' : 'ok', message };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [message = '', ...rest] = error.message.split('\n\n');
    return { area: 'engine', status: 'problem', message, fix: rest.join(' ') };
  }
}

/** Whether these tools are held back, why, and what that saves. */
export function checkDeferral(
  snapshot: Snapshot,
  { tools, tokens, deferredTokens, contextTokens }: ServerCosts,
  config: Pick<Config, 'tools' | 'mcp'>,
): Check {
  if (tools === 0) return { area: 'deferral', status: 'note', message: 'there are no tools to defer' };
  const limits = { contextTokens, source: 'override' } as const;
  const { form } = config.mcp;
  const { kind, reason } =
    form === undefined
      ? decideGate({ snapshot, settings: config.tools.gate, limits })
      : { kind: form === 'inline' ? form : 'defer', reason: `mcp.form is ${form}` };
  const saved = (tokens - deferredTokens).toLocaleString('en-US');
  const cost = `${counted(tools, 'tool')} take about ${counted(tokens, 'token')}`;
  const effect =
    kind === 'defer'
      ? `deferral is on and keeps ${saved} of them out of every request`
      : deferredTokens < tokens
        ? `they are sent in full; deferral would keep ${saved} out of every request`
        : 'they are sent in full, which is cheaper than a search';
  return { area: 'deferral', status: 'ok', message: `${cost}; ${effect}. ${reason}.` };
}

export function checkServers({ servers }: ServerCosts, settings: Config['mcpServers']): readonly Check[] {
  if (servers.length === 0) {
    const message = 'no MCP servers are configured';
    return [{ area: 'servers', status: 'note', message, fix: 'quartermaster init, or --mcp-config FILE' }];
  }
  return servers.map(({ name, state, reason, tools, tokens, held }): Check => {
    if (state === 'down') {
      const message = `${name} does not respond: ${reason ?? 'no reason given'}`;
      return { area: 'servers', status: 'problem', message, fix: fixFor(name, settings[name]) };
    }
    if (held > 0) {
      const message = `${name} responds, but ${counted(held, 'tool')} with changed definitions ${held === 1 ? 'is' : 'are'} held back`;
      return {
        area: 'servers',
        status: 'problem',
        message,
        fix: 'review and accept them with: quartermaster mcp accept',
      };
    }
    const message = `${name} responds: ${counted(tools, 'tool')}, ${counted(tokens, 'token')}`;
    return { area: 'servers', status: 'ok', message };
  });
}

function fixFor(name: string, settings: Config['mcpServers'][string] | undefined): string {
  if (settings === undefined) return 'correct its entry';
  if ('url' in settings) {
    return `check its URL and that it is reachable; if it requires sign-in, run quartermaster mcp login ${name}`;
  }
  return 'run its command in a terminal to see the error, then correct its entry';
}
