import type { JsonObject } from '@quartermaster/core/catalog';
import type { Places } from './places.ts';

/** A program that starts MCP servers, and how it writes them down. */
export interface McpClient {
  /** As it is named on the command line. */
  readonly id: string;
  readonly name: string;
  /** The files that may have its servers; the first one that exists counts. */
  files(places: Places): readonly string[];
  /** Where its servers are in the file. */
  readonly block: readonly string[];
  /** Our own entry. */
  entry(start: StartCommand): JsonObject;
  /** Whether it fills in `${NAME}` itself. Where it doesn't, programs get to see those characters. */
  readonly expandsVariables: boolean;
  /** Whether it fills in `${workspaceFolder}`. @default false */
  readonly knowsWorkspace?: boolean;
  /** Rules that it keeps in another file, and that go by the names of tools. */
  rules?(places: Places, server: string): { readonly deny: readonly string[]; readonly notes: readonly string[] };
  /** What else a person should know before servers move. */
  readonly caveat?: string;
  /** The folder whose servers these are, for servers that Claude Code keeps per project (its scope "local"). */
  readonly project?: string;
}

/** How this program is started. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
