import { type Gateway, type RunningServer, serve } from '@quartermaster/gateway';
import type { ListenSettings } from '@quartermaster/host/config';
import { InputError, UnavailableError } from '../input-error.ts';

export interface ListenOptions extends ListenSettings {
  readonly gateway: Gateway;
  readonly hasKeys: boolean;
  /** Whether the port may be another one when it is taken: nobody has asked for this one. */
  readonly isPortFlexible: boolean;
}

/** How many ports are tried, the first included, before any free one is taken. */
const MOST_TRIES = 20;

/** Listens where the settings say. */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { gateway, hasKeys, host, port, isPortFlexible } = options;
  for (let tried = 0; ; tried += 1) {
    const next = tried < MOST_TRIES ? port + tried : 0;
    try {
      return await serve({ gateway, hasKeys, host, port: next });
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EADDRINUSE' && isPortFlexible && next !== 0) continue;
      throw explain(error, { code, address: `${host}:${port}`, hasKeys });
    }
  }
}

function explain(
  error: unknown,
  {
    code,
    address,
    hasKeys,
  }: { readonly code: string | undefined; readonly address: string; readonly hasKeys: boolean },
): unknown {
  if (!(error instanceof Error)) return error;
  // Everything that the system refuses has a code; without one it is the gateway that refuses to be open to all.
  if (code === undefined) return hasKeys ? error : new InputError(`${error.message}${KEY_HINT}`, { cause: error });
  if (code === 'EADDRINUSE') {
    const message = `${address} is taken by another program; choose a port with --port, or any free one with --port 0`;
    return new UnavailableError(message, { cause: error });
  }
  return new UnavailableError(`Can't listen on ${address}: ${error.message}; choose with --host and --port`, {
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const KEY_HINT = `. A key in quartermaster.yaml:

  keys:
    - name: me
      key: \${QUARTERMASTER_KEY}

and then:  QUARTERMASTER_KEY=$(openssl rand -hex 24) quartermaster serve --host …`;
