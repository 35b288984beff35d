import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { readClientRules } from './client-rules.ts';
import { findServers, withoutComments } from './foreign-servers.ts';
import { parseTomlSource } from './parse-toml.ts';
import { inPlainReferences } from './plain-references.ts';
import { parseSource } from './read-document.ts';
import { isOff, type TranslatedServer, translateServer } from './translate-server.ts';

/** The servers of a client's file in our format, with references such as `${NAME}` unchanged. */
export interface ClientFile {
  readonly servers: readonly ClientServer[];
  /** Definitions of `${input:…}`, as in the file. */
  readonly inputs: readonly JsonObject[];
  /** The whole document. */
  readonly document: unknown;
}

/** A server in the configuration file of an MCP client. */
export interface ClientServer extends Omit<TranslatedServer, 'unknown'> {
  readonly name: string;
  readonly isOff: boolean;
}

/** Reads a client's file for moving its servers elsewhere. Undefined if it has no block of servers. */
export function readClientFile(file: string, text: string): ClientFile | undefined {
  const document = file.endsWith('.toml')
    ? parseTomlSource(file, text)
    : parseSource(file, /\.jsonc?$/.test(file) ? withoutComments(text) : text);
  const block = findServers(document.value);
  if (block === undefined) return undefined;
  return {
    inputs: block.inputs,
    document: document.value,
    servers: block.entries.map(({ name, entry }) => {
      const rules = readClientRules(document.value, name);
      if (!isJsonObject(entry)) return { name, isOff: false, entry: {}, problems: ['is not a block'], notes: [] };
      const plain = inPlainReferences(entry, { label: block.label, source: file }) as JsonObject;
      const { entry: translated, problems, notes, unknown } = translateServer(plain);
      const deny: readonly Json[] = [...(Array.isArray(translated.deny) ? translated.deny : []), ...rules.deny];
      return {
        name,
        isOff: isOff(entry) || rules.isOff,
        entry: { ...translated, ...(deny.length === 0 ? {} : { deny }) },
        problems,
        notes: [
          ...notes,
          ...rules.notes,
          ...(unknown.length === 0 ? [] : [`unknown and ignored: ${unknown.join(', ')}`]),
        ],
      };
    }),
  };
}
