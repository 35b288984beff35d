import type { Implementation } from '@modelcontextprotocol/server';
import type { Toolbox } from '@quartermaster/core';
import type { ModelLimits } from '@quartermaster/core/gate';
import type { Clock } from '@quartermaster/core/internal';
import type { Hub } from '../hub/index.ts';
import type { TaskOwnerStore } from '../store/index.ts';
import type { AlwaysLoad } from './known-clients.ts';
import type { ServerStart, StartWaits } from './server-start.ts';

/** What all connections of a proxy share. */
export interface ProxyContext {
  readonly hub: Hub;
  readonly toolbox: Toolbox;
  readonly limits: ModelLimits;
  readonly serverInfo: Implementation;
  readonly clock: Clock;
  readonly start: ServerStart;
  readonly waits: Required<StartWaits>;
  /** The mark that makes the current client show our tools at once. */
  readonly alwaysLoad: AlwaysLoad;
  readonly maxResultBytes: number;
  readonly forgetSearchesAfterMs: number;
  readonly taskOwners: TaskOwnerStore;
  /** Computes what plans need from a large catalog, with pauses for other work; undefined if there is nothing to wait for. */
  readonly readCatalog: () => Promise<void> | undefined;
}
