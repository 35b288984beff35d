import type { JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { SlotState } from './connection/index.ts';
import type { DefinitionChange, Suspicion } from './trust/index.ts';

/** How a server is doing, for people. */
export interface ServerStatus {
  readonly name: string;
  /** `idle`: known from its last listing, and started when it is first used. */
  readonly state: SlotState['kind'];
  /** Why its tools can't be reached, or may be out of date. */
  readonly reason?: string;
  /** Whether a user has to sign in before it can be used. Absent where not. */
  readonly needsSignIn?: true;
  /** How many tools it has in the catalog. */
  readonly tools: number;
  /** Why its tools can't be listed, if so. Those of an earlier list are kept. */
  readonly listingFailure?: string;
  /** Where its list was cut off, if it was: `after 100 pages`. Then that is the first of the problems. */
  readonly stopped?: string;
  /** Definitions that can't be used, and why. */
  readonly problems: readonly string[];
  /** Changed definitions that wait to be accepted. */
  readonly held: readonly DefinitionChange[];
  /** Changed definitions that are used although they are not accepted yet. Missing if there are none. */
  readonly changed?: readonly DefinitionChange[];
  readonly suspicions: readonly (Suspicion & { readonly tool: string })[];
  /** How often it wrote something other than a message, and what it wrote last. */
  readonly noise: { readonly count: number; readonly last?: string };
  /** The end of what it wrote to its standard error. */
  readonly stderr: string;
  readonly protocolVersion?: string;
}

/** What a server said about itself when it was last connected. */
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

/** Keeps the little that is worth keeping of what a server says on the side. */
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
