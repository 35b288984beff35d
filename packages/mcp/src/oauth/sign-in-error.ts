import { defined } from '@quartermaster/core/internal';
import { McpError } from '../errors.ts';

export interface SignInRefusal {
  readonly server: string;
  /** Where to sign in, if that can begin here. */
  readonly authorizationUrl?: string | undefined;
  /** What to do if it can't: a short instruction, such as a command to run. */
  readonly how?: string | undefined;
  /** What the sign-in has to request that an earlier one did not. */
  readonly scope?: string | undefined;
  readonly cause?: unknown;
}

/** A server that requires a sign-in was used without one. */
export function signInError({ server, authorizationUrl, how, scope, cause }: SignInRefusal): McpError {
  const hint = how === undefined ? '' : `; ${how}`;
  return new McpError('authorization_required', `Server "${server}" requires the user to sign in${hint}`, {
    cause,
    context: { server, ...defined({ authorizationUrl, scope }) },
  });
}
