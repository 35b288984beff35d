import type { Implementation } from '@modelcontextprotocol/client';
import type { PolicyRules, SnapshotOptions } from '@quartermaster/core/catalog';
import { BACKGROUND_CLOCK, type Clock, checkOptionNames, defined } from '@quartermaster/core/internal';
import type { OAuthClient } from '../oauth/index.ts';
import { createMemoryListingStore, createMemoryPinStore, type ListingStore, type PinStore } from '../store/index.ts';
import { BACKOFF_DEFAULTS, type Backoff } from './connection/index.ts';
import { LIST_DEFAULTS, type ListLimits } from './definitions/index.ts';
import type { HubEvent, HubServers } from './hub.ts';
import type { FindingsPolicy, Quarantine } from './trust/index.ts';

/** Options of `createHub`. */
export interface HubOptions extends HubServers {
  /** Where listings are stored. @default in memory */
  readonly listings?: ListingStore;
  /** Where pins are stored. @default in memory */
  readonly pins?: PinStore;
  /**
   * Which definitions are held back until they are accepted: none, changed ones, or new ones too. Changes are always reported,
   * and count as changes until they are accepted. @default 'off'
   */
  readonly quarantine?: Quarantine;
  /**
   * What happens to suspicious definitions (hidden instructions, invisible characters): the status names them, their tools are also
   * left out, or they are not checked. @default 'warn'
   */
  readonly findings?: FindingsPolicy;
  /** Whether servers with a stored listing wait for their first use. @default true */
  readonly isLazy?: boolean;
  readonly policies?: PolicyRules;
  /** Sign-in for servers with `oauth`, per user. Without it such servers can't be used. */
  readonly oauth?: OAuthClient;
  /** How the catalog is made. Tools past `maxTools` are left out and named. By default `maxTools` is at least `limits.toolsPerServer`. */
  readonly catalog?: Pick<SnapshotOptions, 'maxTools' | 'nameTemplate' | 'maxNameLength'>;
  /** How much of a server's list is read. */
  readonly limits?: Partial<ListLimits>;
  readonly backoff?: Backoff;
  /** The client information that servers get. */
  readonly clientInfo?: Implementation;
  /** @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof globalThis.fetch;
  /** How many JSON values a message of a server may have, ten times as many in a list. @default 200_000 */
  readonly maxMessageValues?: number;
  readonly clock?: Clock;
}

/** What a hub's servers share. */
export interface HubContext
  extends Required<
      Pick<
        HubOptions,
        'listings' | 'pins' | 'quarantine' | 'findings' | 'backoff' | 'clientInfo' | 'environment' | 'clock'
      >
    >,
    Pick<HubOptions, 'oauth' | 'fetch' | 'maxMessageValues'> {
  readonly limits: ListLimits;
  readonly emit: (event: HubEvent) => void;
}

export const CLIENT_INFO: Implementation = { name: 'quartermaster', version: '0.4.0' };

/** Throws a `SettingError` for an unknown option. */
export function readHubOptions(options: HubOptions, emit: HubContext['emit']): HubContext {
  const names = 'servers unusable listings pins quarantine findings isLazy policies oauth catalog limits backoff';
  checkOptionNames('createHub', options, `${names} clientInfo environment fetch maxMessageValues clock`);
  const catalog: NonNullable<HubOptions['catalog']> = options.catalog ?? {};
  checkOptionNames('catalog', catalog, 'maxTools nameTemplate maxNameLength');
  checkOptionNames('limits', options.limits ?? {}, LIST_DEFAULTS);
  checkOptionNames('backoff', options.backoff ?? {}, BACKOFF_DEFAULTS);
  return {
    clientInfo: CLIENT_INFO,
    clock: BACKGROUND_CLOCK,
    environment: process.env,
    listings: createMemoryListingStore(),
    pins: createMemoryPinStore(),
    quarantine: 'off',
    findings: 'warn',
    backoff: BACKOFF_DEFAULTS,
    ...defined(options),
    limits: { ...LIST_DEFAULTS, ...options.limits },
    emit,
  };
}
