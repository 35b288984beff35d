const MOST_CHARACTERS = 60;

/** Text that could be a key or a token: long, and unlike a sentence. */
const OPAQUE = /^[\w+/=.~-]{20,}$/;

/** A value for a message: short, and never anything that looks like a misplaced secret. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a block';
  if (typeof value !== 'string') return String(value);
  if (OPAQUE.test(value)) return `a string of ${value.length} characters (not shown, because it may be a secret)`;
  const plain = hideCredentials(value);
  return JSON.stringify(plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS)}…` : plain);
}

/** The host of an address: keys are put into users, paths and queries. */
export function hideCredentials(address: string): string {
  return address.replace(
    /^(\w[\w+.-]*:\/\/)(?:\S*@)?([^\s/?#]*)\/?(.*)$/s,
    (_, scheme: string, host: string, rest: string) => (rest === '' ? scheme + host : `${scheme}${host}/…`),
  );
}
