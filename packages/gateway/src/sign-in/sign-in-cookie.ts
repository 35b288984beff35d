import { createHash } from 'node:crypto';

/** As long as a sign-in can be completed. */
const LASTS_SECONDS = 3_600;

/**
 * Ties a sign-in to the browser that began it. Otherwise an attacker could begin one for their own key and send its address to
 * another person, whose account that key would then use.
 */
export function bindToBrowser(authorizationUrl: string, callbackUrl: string): string {
  const { protocol, pathname } = new URL(callbackUrl);
  const state = new URL(authorizationUrl).searchParams.get('state') ?? '';
  const secure = protocol === 'https:' ? '; Secure' : '';
  // Lax: the authorization server's site redirects the browser back.
  return `${nameOf(state)}=1; Path=${pathname}; Max-Age=${LASTS_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** Whether the sign-in of this state began in the browser that sent these cookies. */
export function isBound(cookies: string | undefined, state: string): boolean {
  return (cookies ?? '').split(/;\s*/).includes(`${nameOf(state)}=1`);
}

/** A state comes from outside, and may contain characters that a cookie's name may not. */
function nameOf(state: string): string {
  return `quartermaster-sign-in-${createHash('sha256').update(state).digest('hex').slice(0, 32)}`;
}
