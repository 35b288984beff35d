import type { JsonObject } from '@quartermaster/core/catalog';
import { encodeName, textOf } from './internal/columns.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** The definitions of MCP tools as first seen or last accepted, by server, so that a change is noticed. */
export interface PinStore {
  /** Empty for a server that has none. */
  get(server: string): Promise<readonly Pin[]>;
  /** Replaces the server's pins. */
  put(server: string, pins: readonly Pin[]): Promise<void>;
}

/** A definition as first seen or last accepted. */
export interface Pin {
  /** The tool's name at its server. */
  readonly tool: string;
  /** SHA-256 of its JSON. */
  readonly hash: string;
  readonly definition: JsonObject;
}

export function createPinStore({ sql, now }: StoreContext): PinStore {
  return {
    async get(server) {
      const [row] = await sql.all('SELECT pins FROM mcp_pins WHERE server = ?', [encodeServer(server)]);
      return row === undefined ? [] : (JSON.parse(textOf(row, 'pins')) as Pin[]);
    },

    async put(server, pins) {
      const row = { server: encodeServer(server), pins: JSON.stringify(pins), updated_at: now() };
      await insertRows(sql, 'mcp_pins', [row], { key: ['server'], existing: 'replace' });
    },
  };
}

function encodeServer(server: string): string {
  return encodeName(server, 'name of an MCP server');
}
