import { SettingError } from '@quartermaster/core/errors';
import { type Gateway, type RunningServer, serve } from '@quartermaster/gateway';
import type { ListenSettings } from '@quartermaster/host/config';
import { InputError, UnavailableError } from '../../input-error.ts';

export interface ListenOptions extends ListenSettings {
  readonly gateway: Gateway;
  readonly hasKeys: boolean;
  /** Whether to try the next port if this one is taken, because the user did not choose it. */
  readonly isPortFlexible: boolean;
}

/** How many ports are tried, including the first, before any free one is used. */
const MOST_TRIES = 20;

/** Listens at the address in the settings. */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { gateway, hasKeys, host, port, isPortFlexible } = options;
  for (let tried = 0; ; tried += 1) {
    const next = tried < MOST_TRIES ? port + tried : 0;
    try {
      return await serve({ gateway, hasKeys, host, port: next });
    } catch (error) {
      if (codeOf(error) === 'EADDRINUSE' && isPortFlexible && next !== 0) continue;
      throw explain(error, `${host}:${port}`);
    }
  }
}

function explain(error: unknown, address: string): unknown {
  if (error instanceof SettingError) return new InputError(`${error.message}${KEY_HINT}`, { cause: error });
  const code = codeOf(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const message =
    code === 'EADDRINUSE'
      ? `${address} is taken by another program; choose a port with --port, or any free one with --port 0`
      : `Can't listen on ${address}: ${error.message}; choose with --host and --port`;
  return new UnavailableError(message, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const KEY_HINT = `. A key in quartermaster.yaml:

  keys:
    - name: me
      key: \${QUARTERMASTER_KEY}

and then:  QUARTERMASTER_KEY=$(openssl rand -hex 24) quartermaster serve --host …`;
