import { existsSync } from 'node:fs';
import type { Config } from '@quartermaster/host/config';
import { print } from '../command-io.ts';
import { EXIT } from '../exit-code.ts';
import { counted, oneLine, wrap } from '../terminal/index.ts';
import type { CommandContext, CommandLine, JsonFlag, ServerFlags } from './command-line.ts';

export function addConfigCommand(program: CommandLine): void {
  program
    .command('config')
    .description('check the settings')
    .command('check')
    .description('read the settings as serve and mcp do, and say what is wrong, without starting anything')
    .servers()
    .option('--json', 'write one JSON object')
    .settings()
    .examples(EXAMPLES)
    .runs(async () => checkConfig);
}

/** Settings that can't be read at all fail with status 2 and the line, as in every command. */
async function checkConfig(flags: ServerFlags & JsonFlag, { io, terminal, exit }: CommandContext): Promise<void> {
  const { files, mcpServers, unusableServers, notes } = await loadAnswered(flags, io.env);
  const servers = Object.keys(mcpServers);
  if (flags.json === true) {
    await print(io, JSON.stringify({ files, servers, unusableServers, notes }, null, 2));
  } else {
    const lines = [
      unusableServers.length === 0 ? 'The settings are valid.' : `${counted(unusableServers.length, 'problem')} found.`,
      ...unusableServers.map(({ name, source, line, reason }) => {
        return `✗ ${name} (${source}${line === undefined ? '' : `:${line}`}): ${reason}`;
      }),
      `· files: ${files.length === 0 ? 'none, all settings are the defaults' : files.join(', ')}`,
      `· MCP servers: ${servers.length === 0 ? 'none' : servers.join(', ')}`,
      ...notes.map(({ server, message }) => `· ${server}: ${message}`),
    ];
    const text = lines.map((line) => wrap(oneLine(line, 1_000), terminal.width, { hanging: 2, indent: 0 })).join('\n');
    await print(io, text);
  }
  if (unusableServers.length > 0) exit(EXIT.findings);
}

/** With the stored answers to inputs, as in serve and mcp. A store that does not exist is not created. */
async function loadAnswered(place: ServerFlags, env: CommandContext['io']['env']): Promise<Config> {
  const { loadAnsweredSettings, loadSettings, withStore } = await import('../serving/index.ts');
  const { config } = loadSettings(place, env);
  const { location } = config.store;
  if (config.inputs.length === 0 || ('path' in location && !existsSync(location.path))) return config;
  return withStore(config.store, ({ tokens }) => loadAnsweredSettings(place, env, tokens));
}

const EXAMPLES = `
Examples:
  $ quartermaster config check
  $ quartermaster config check --config quartermaster.yaml --json

Exit status: 0 the settings can be used, 1 some MCP servers can't, 2 the
settings can't be read, 69 the store is unavailable.`;
