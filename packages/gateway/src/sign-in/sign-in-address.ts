import { isLoopback } from '../access/index.ts';

/**
 * The address at which users' browsers reach this gateway: the one in the settings or, on this machine, that of the request. Undefined
 * if neither is known: a host name in a request can be anyone's, and a sign-in must come back to the gateway.
 */
export function signInAddress(request: Request, publicUrl: string | undefined): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  const { hostname, origin } = new URL(request.url);
  return isLoopback(hostname) ? origin : undefined;
}

/** The page where a user signs in to a server. */
export function signInPage(address: string, server: string): string {
  return `${address}/sign-in?${new URLSearchParams({ server })}`;
}
