import { isIP } from 'node:net';
import { compileGlob } from '@quartermaster/core/catalog';
import { isPublicAddress } from './is-public-address.ts';

/** What a connection to an address may do. */
export interface AddressRule {
  /** As written in the settings. */
  readonly pattern: string;
  /** Whether its host was named outright: then it may be a private one. */
  readonly isNamed: boolean;
}

/** Which addresses may be connected to. */
export interface AddressRules {
  /** The first rule that matches the address; undefined if none does. Says nothing yet about what its name resolves to. */
  find(url: URL): AddressRule | undefined;
}

/**
 * Reads patterns such as `https://*`, `https://*.example.com/mcp*`, `http://127.0.0.1:9000`. Each part is compared with the same
 * part of the address, so that a path can't pass for a host. Without a port, the scheme's default port; without a path, any path.
 */
export function readAddressRules(patterns: readonly string[]): AddressRules {
  const rules = patterns.flatMap((pattern) => readRule(pattern) ?? []);
  return {
    find(url) {
      // A user name and password in an address would be sent along, and shown in errors.
      if (url.username !== '' || url.password !== '') return undefined;
      return rules.find((rule) => rule.covers(url));
    },
  };
}

const PATTERN = /^(https?):\/\/(\[[^\]]+\]|[^/:]+)(?::(\d+|\*))?(\/.*)?$/i;

function readRule(pattern: string): (AddressRule & { covers(url: URL): boolean }) | undefined {
  const [, scheme = '', host = '', port, path] = PATTERN.exec(pattern) ?? [];
  if (host === '') return undefined;
  const isNamed = !host.includes('*');
  const hosts = compileGlob(host.toLowerCase());
  const paths = path === undefined ? undefined : compileGlob(path);
  const covers = (url: URL): boolean =>
    url.protocol === `${scheme.toLowerCase()}:` &&
    hosts.matches(url.hostname.toLowerCase()) &&
    (port === '*' || url.port === defaultless(scheme, port)) &&
    (paths?.matches(url.pathname) ?? true) &&
    (isNamed || !isPrivateLiteral(url.hostname));
  return { pattern, isNamed, covers };
}

/** A URL omits its scheme's default port. */
function defaultless(scheme: string, port: string | undefined): string {
  return port === undefined || port === (scheme.toLowerCase() === 'https' ? '443' : '80') ? '' : port;
}

/** Names are resolved when connecting; an IP address is taken as it is. */
function isPrivateLiteral(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !isPublicAddress(address);
}
