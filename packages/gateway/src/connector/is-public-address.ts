import { BlockList, isIP } from 'node:net';

/**
 * Whether an IP address belongs to the public internet: not to this machine, a private network, or a cloud's internal services.
 * For IPv6 only ranges assigned for that use count, without those that embed IPv4 addresses.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !SPECIAL.check(address, 'ipv4');
  return version === 6 && UNICAST.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

const UNICAST = new BlockList();
UNICAST.addSubnet('2000::', 3, 'ipv6');

/** From the registries of special-purpose addresses (RFC 6890 and its updates); 168.63.129.16 is a cloud's internal host. */
const SPECIAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv6');
}
