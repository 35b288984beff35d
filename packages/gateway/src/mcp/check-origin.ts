import { isOwnOrigin } from '../access/index.ts';
import { ApiError } from '../http/index.ts';

/**
 * Refuses requests that a web page of someone else's makes through its visitor's browser, as the protocol demands of servers.
 * Programs send no `Origin`. Pages of this gateway's own address, of this machine, and those that the settings name are let in.
 */
export function checkOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || allowed.some((address) => new URL(address).origin === origin) || isOwnOrigin(request)) return;
  throw new ApiError(403, `Requests from pages of ${origin.slice(0, 200)} are not served; allow it in mcp.origins`);
}
