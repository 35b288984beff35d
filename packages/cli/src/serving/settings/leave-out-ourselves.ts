import { basename } from 'node:path';
import type { McpServerSettings } from '@quartermaster/host/config';

export interface OtherServers {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** The names of entries that start this command. */
  readonly ourselves: readonly string[];
}

/**
 * A client's file may contain an entry for this program; starting it would start ourselves again and again.
 * Recognized by the command line: `quartermaster mcp`, `npx -y quartermaster@1 mcp`, `node …/quartermaster.js mcp`.
 */
export function leaveOutOurselves(all: Readonly<Record<string, McpServerSettings>>): OtherServers {
  const entries = Object.entries(all);
  const isOurselves = ([, settings]: (typeof entries)[number]): boolean => startsUs(settings);
  return {
    servers: Object.fromEntries(entries.filter((entry) => !isOurselves(entry))),
    ourselves: entries.filter(isOurselves).map(([name]) => name),
  };
}

function startsUs(settings: McpServerSettings): boolean {
  if (!('command' in settings)) return false;
  // A shell's command line is one argument with spaces.
  const words = [settings.command, ...(settings.args ?? [])].flatMap((word) => word.split(/\s+/));
  const at = words.findIndex((word) => OUR_NAME.test(basename(word.replaceAll('\\', '/'))));
  return at !== -1 && words.indexOf('mcp', at + 1) !== -1;
}

const OUR_NAME = /^(?:quartermaster|qm)(?:\.(?:js|cmd|exe))?(?:@.*)?$/i;
