/**
 * Whether an address is one of the public internet, by the registries of special-purpose addresses that IANA keeps
 * (iana-ipv4-special-registry, iana-ipv6-special-registry). Whatever stands for an IPv4 address in IPv6 is not, since
 * what it leads to depends on the network.
 */
import { BlockList, isIP } from "node:net";

const SPECIAL_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Multicast, and all that is reserved above.
  ["224.0.0.0", 3],
] as const;
/** The only part of IPv6 from which global unicast addresses are given. */
const GLOBAL_IPV6 = ["2000::", 3] as const;
const SPECIAL_IPV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [address, bits] of SPECIAL_IPV4) special.addSubnet(address, bits, "ipv4");
for (const [address, bits] of SPECIAL_IPV6) special.addSubnet(address, bits, "ipv6");
const global = new BlockList();
global.addSubnet(...GLOBAL_IPV6, "ipv6");

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  return version === 6 && global.check(address, "ipv6") && !special.check(address, "ipv6");
}
