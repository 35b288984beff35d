import type { JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { SlotState } from './connection/index.ts';
import type { DefinitionChange, Suspicion } from './trust/index.ts';

/** The state of a server, for people. */
export interface ServerStatus {
  readonly name: string;
  /** `idle`: known from its stored listing, and started on first use. */
  readonly state: SlotState['kind'];
  /** Why its tools can't be used, or may be out of date. */
  readonly reason?: string;
  /** When it is tried again, on the hub's clock, if it is. */
  readonly retryAtMs?: number;
  /** Whether a user has to sign in before it can be used. Absent if not. */
  readonly needsSignIn?: true;
  /** How many of its tools are in the catalog. */
  readonly tools: number;
  /** Why its tools can't be listed, if they can't. Those of an earlier list are kept. */
  readonly listingFailure?: string;
  /** Where its list was cut off, if it was: `after 100 pages`. It is then the first of the problems. */
  readonly stopped?: string;
  /** Unusable definitions, and the reasons. */
  readonly problems: readonly string[];
  /** Changed definitions that have not been accepted. */
  readonly held: readonly DefinitionChange[];
  /** Changed definitions that are used although they have not been accepted. Missing if there are none. */
  readonly changed?: readonly DefinitionChange[];
  readonly suspicions: readonly (Suspicion & { readonly tool: string })[];
  /** How often it wrote something that is not a message, and what it wrote last. */
  readonly noise: { readonly count: number; readonly last?: string };
  /** The end of what it wrote to its standard error. */
  readonly stderr: string;
  readonly protocolVersion?: string;
}

/** What a server said about itself at its last connection. */
export interface ServerSummary {
  readonly name: string;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

export interface StatusNotes {
  noise(text: string): void;
  stderr(text: string): void;
  read(): Pick<ServerStatus, 'noise' | 'stderr'>;
}

const STDERR_LENGTH = 4_000;

/** Keeps the useful part of a server's side output. */
export function createStatusNotes(): StatusNotes {
  let count = 0;
  let last: string | undefined;
  let tail = '';
  return {
    noise: (text) => {
      count += 1;
      last = text;
    },
    stderr: (text) => {
      tail = (tail + text).slice(-STDERR_LENGTH);
    },
    read: () => ({ noise: { count, ...defined({ last }) }, stderr: tail }),
  };
}
