import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { type ClientFile, type ClientServer, ConfigError, readClientFile } from '@quartermaster/host/config';

/** Servers that someone has pasted, as the settings would contain them. Nothing is started or connected to. */
export interface CheckedServers {
  readonly data: readonly CheckedServer[];
  /** Why the text can't be read. */
  readonly problem?: string;
  /** Counted from 1. */
  readonly line?: number;
}

/** `entry` is the one for `mcpServers` in the settings. */
export interface CheckedServer extends Omit<ClientServer, 'isOff'> {
  readonly transport: 'stdio' | 'http';
  readonly is_off: boolean;
  /** Whether the gateway already has a server of this name. */
  readonly is_known: boolean;
}

const NO_BLOCK =
  'There is no block of servers here: mcpServers, servers (VS Code), context_servers (Zed), mcp_servers (Codex) or mcp (opencode)';

/** Reads the block of servers of any known client, in JSON, YAML or TOML. */
export function checkServers(text: string, known: ReadonlySet<string>): CheckedServers {
  try {
    const file = readPasted(text);
    if (file === undefined) return { data: [], problem: NO_BLOCK };
    return {
      data: file.servers.map(({ name, isOff, entry, problems, notes }) => ({
        ...{ name, is_off: isOff, entry, notes, is_known: known.has(name) },
        transport: typeof entry.url === 'string' ? 'http' : 'stdio',
        problems: [
          ...problems,
          ...(isStartable(entry) || problems.length > 0 ? [] : ['has neither a command nor a url']),
        ],
      })),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    return { data: [], problem: first?.message ?? error.message, ...defined({ line: first?.line }) };
  }
}

function isStartable({ command, url }: JsonObject): boolean {
  return typeof command === 'string' || typeof url === 'string';
}

/** People copy the block with or without its surroundings. */
function readPasted(text: string): ClientFile | undefined {
  const trimmed = text.trim();
  if (/^\[[\w.-]+\]/.test(trimmed)) return readClientFile('pasted.toml', text);
  if (!/^["{]/.test(trimmed)) return readClientFile('pasted.yaml', text) ?? readBare('pasted.yaml', text);
  const whole = trimmed.startsWith('{') ? text : `{${trimmed.replace(/,$/, '')}}`;
  return readClientFile('pasted.json', whole) ?? readBare('pasted.json', whole);
}

/** Entries by name, without the name of the block. */
function readBare(file: string, text: string): ClientFile | undefined {
  const indented = text.replace(/^/gm, '  ');
  const wrapped = file.endsWith('.json') ? `{"mcpServers":${text}}` : `mcpServers:\n${indented}`;
  const read = readClientFile(file, wrapped);
  const isBlock = read?.servers.some(({ entry }) => isJsonObject(entry) && isStartable(entry));
  return isBlock === true ? read : undefined;
}
