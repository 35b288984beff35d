import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock } from '@quartermaster/core/internal';
import type { OAuthClient } from '../oauth/index.ts';
import type { ListingStore, PinStore } from '../store/index.ts';
import type { Backoff } from './connection/index.ts';
import type { ListLimits } from './definitions/index.ts';
import type { ServerNotification } from './peer.ts';
import type { DefinitionChange, FindingsPolicy, Quarantine, Suspicion } from './trust/index.ts';

/** What a hub's servers share. */
export interface HubContext {
  readonly clientInfo: Implementation;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly maxMessageValues?: number | undefined;
  readonly listings: ListingStore;
  readonly pins: PinStore;
  readonly quarantine: Quarantine;
  readonly findings: FindingsPolicy;
  /** A tool was left out because of its definition. */
  readonly onWithheld: (tool: string, suspicion: Suspicion) => void;
  readonly backoff?: Backoff | undefined;
  readonly limits: ListLimits;
  readonly oauth?: OAuthClient | undefined;
  /** A server's tools or state changed. */
  readonly onChange: (server: string) => void;
  /** Part of a server's list was not read. */
  readonly onListingCut: (server: string, reason: string) => void;
  readonly onDefinitionChange: (change: DefinitionChange) => void;
  /** A server sent a notification on the shared connection (no user). */
  readonly onNotification: (notification: ServerNotification) => void;
}
