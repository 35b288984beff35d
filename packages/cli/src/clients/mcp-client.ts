import type { JsonObject } from '@quartermaster/core/catalog';
import type { Places } from './places.ts';

/** A program that starts MCP servers, and the format of its configuration. */
export interface McpClient {
  /** Its name on the command line. */
  readonly id: string;
  readonly name: string;
  /** The user's files that may have its servers. The first one that exists counts where a client is named. */
  files(places: Places): readonly string[];
  /** Files below a project's folder that may have servers, too. @default none */
  readonly projectFiles?: readonly string[];
  /** Where its servers are in the file. */
  readonly block: readonly string[];
  /** Our own entry. */
  entry(start: StartCommand): JsonObject;
  /** Whether it expands `${NAME}` itself. If not, servers receive these characters. */
  readonly expandsVariables: boolean;
  /** Whether it expands `${workspaceFolder}`. @default false */
  readonly knowsWorkspace?: boolean;
  /** Whether it uses both the user's server and a project's of the same name, instead of the project's alone. @default false */
  readonly showsAllScopes?: boolean;
  /** Rules by tool name that it keeps in another file. */
  rules?(places: Places, server: string): { readonly deny: readonly string[]; readonly notes: readonly string[] };
  /** What else people should know before servers move. */
  readonly caveat?: string;
  /** The same, where the user's own file is moved. */
  readonly userCaveat?: string;
  /** The project folder of these servers, if Claude Code keeps them per project (its scope "local"). */
  readonly project?: string;
}

/** How to start this program. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
