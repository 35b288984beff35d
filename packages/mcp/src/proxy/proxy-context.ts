import type { Implementation } from '@modelcontextprotocol/server';
import type { Caller, ModelLimits, Toolbox } from '@quartermaster/core';
import type { Clock } from '../clock.ts';
import type { Hub } from '../hub/index.ts';
import type { CallOrigin } from './execute-tool.ts';

/** What all connections of a proxy share. */
export interface ProxyContext {
  readonly hub: Hub;
  readonly toolbox: Toolbox;
  readonly limits: ModelLimits;
  readonly serverInfo: Implementation;
  readonly clock: Clock;
  readonly startTimeoutMs: number;
  readonly forgetSearchesAfterMs: number;
  /** Where a call comes from, by the caller that the toolbox was given for it. */
  readonly origins: WeakMap<Caller, CallOrigin>;
}
