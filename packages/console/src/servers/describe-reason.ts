import type { Server } from '@quartermaster/client';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ENOTFOUND: 'No such host',
  ETIMEDOUT: 'No answer',
  ECONNRESET: 'Connection closed',
  ENOENT: 'No such program',
};

/** Why a server can't be reached, what that means for its tools, and when it is tried again, for people. */
export function describeReason(
  { reason = '', state, tools }: Pick<Server, 'reason' | 'state' | 'tools'>,
  retryInMs?: number,
): string {
  const [, code = '', place = ''] = /\b(E[A-Z]{4,}) ?(\S*)/.exec(reason) ?? [];
  const word = WORDS[code];
  const said = word === undefined ? sentence(reason) : place === '' ? word : `${word} at ${place}`;
  if (state !== 'down') return said;
  const dot = /[.!?]$/.test(said) ? '' : '.';
  const retry = retryInMs === undefined ? '' : ` Retry in ${Math.ceil(retryInMs / 1_000)} s.`;
  return `${said}${dot}${tools > 0 ? ' Tools stay searchable; calls fail.' : ''}${retry}`;
}

/** What programs say begins in lower case; on a page it stands by itself. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
