import { isOwnOrigin } from '../access/index.ts';
import { ApiError } from '../http/index.ts';

/**
 * Rejects requests from other sites' pages in a visitor's browser, as the protocol requires of servers.
 * Programs send no `Origin`. Pages at this gateway's own address, on this machine, and those in the settings are allowed.
 */
export function checkOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || allowed.some((address) => new URL(address).origin === origin) || isOwnOrigin(request)) return;
  throw new ApiError(403, `Requests from pages of ${origin.slice(0, 200)} are not served; allow it in mcp.origins`);
}
